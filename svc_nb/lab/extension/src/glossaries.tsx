/** The glossaries of the service; a click opens one. */

import * as React from 'react';

import type { IGlossary } from './answers';
import { counted } from './numbers';

interface IGlossaries {
  glossaries: IGlossary[];
  open: (glossary: IGlossary) => void;
}

export function Glossaries({ glossaries, open }: IGlossaries): React.ReactElement {
  if (!glossaries.length) {
    return <p className="svc-lab-small">None yet. Create one in the Glossary panel.</p>;
  }
  return (
    <ul>
      {glossaries.map(glossary => (
        <li key={glossary.id}>
          <button className="svc-lab-row" title={`Open ${glossary.name}`} onClick={() => open(glossary)}>
            <span className="svc-lab-name">{glossary.name}</span>
            <span className="svc-lab-small">
              {pairs(glossary)} · {counted(glossary.terms, 'term')}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The pairs by their source: "EN → DE, FR; ES → EN". */
function pairs(glossary: IGlossary): string {
  const targets = new Map<string, string[]>();
  for (const [source, target] of glossary.pairs) {
    targets.set(source, [...(targets.get(source) ?? []), target.toUpperCase()]);
  }
  return [...targets].map(([source, all]) => `${source.toUpperCase()} → ${all.join(', ')}`).join('; ');
}
