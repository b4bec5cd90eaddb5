/** What is left of the quota, in words and as a bar. */

import * as React from 'react';

import type { IQuota } from './answers';
import { counted } from './numbers';

const LOW = 0.1;

/** "1,234 characters left of 5,000" */
export function left({ used, limit }: IQuota): string {
  if (limit === null) {
    return `${counted(used, 'character')} used, no limit`;
  }
  return `${counted(Math.max(0, limit - used), 'character')} left of ${limit.toLocaleString('en')}`;
}

export function Quota({ quota }: { quota: IQuota }): React.ReactElement {
  const { of, used, limit, until } = quota;
  const share = limit === null ? 1 : limit && Math.max(0, 1 - used / limit);
  const whose = of === 'key' ? 'this key' : 'the plan';
  return (
    <div className="svc-lab-quota">
      <p>{left(quota)}</p>
      {limit !== null && (
        <meter className={share < LOW ? 'svc-lab-low' : ''} aria-label="Quota left" value={share} title={percent(share)} />
      )}
      <p className="svc-lab-small">
        For {whose}
        {until && `, until ${day(until)}`}
      </p>
    </div>
  );
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function day(moment: string): string {
  return new Date(moment).toLocaleDateString('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });
}
