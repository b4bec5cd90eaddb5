/** The item in the status bar: the characters that this kernel's session was billed. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import { Signal } from '@lumino/signaling';
import * as React from 'react';

import type { CurrentKernel } from './current';
import { translateIcon } from './icons';
import { counted } from './numbers';
import { left } from './quota';
import type { Settings } from './settings';

/** Show the item while the current kernel uses svc_nb; a click opens the sidebar. */
export async function addStatus(
  app: JupyterFrontEnd,
  { current, settings, open }: { current: CurrentKernel; settings: Settings; open: () => void }
): Promise<void> {
  const bar = await app.resolveOptionalService(IStatusBar);
  const item = ReactWidget.create(
    <UseSignal signal={current.changed}>{() => <Characters current={current} open={open} />}</UseSignal>
  );
  item.addClass('svc-lab-status');
  const activeStateChanged = new Signal<object, void>({});
  current.changed.connect(() => activeStateChanged.emit());
  settings.changed.connect(() => activeStateChanged.emit());
  const isActive = () => settings.statusBar && current.status.presence === 'used';
  bar?.registerStatusItem('svc-nb:status', { item, align: 'left', rank: 100, isActive, activeStateChanged });
}

function Characters({ current, open }: { current: CurrentKernel; open: () => void }): React.ReactElement {
  const { status, account } = current;
  const said = [`${counted(status.characters, 'character')} billed since the kernel started`];
  if (account?.quota) {
    said.push(left(account.quota));
  }
  return (
    <button className="jp-StatusBar-TextItem" title={said.join('\n')} onClick={open}>
      <translateIcon.react tag="span" className="svc-lab-icon" />
      {counted(status.characters, 'character')}
    </button>
  );
}
