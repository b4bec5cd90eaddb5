/** The sidebar: the connection of the current kernel, what is left of the quota, the panels, and the glossaries. */

import { ReactWidget, refreshIcon, ToolbarButtonComponent, UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { IGlossary } from './answers';
import { Connection } from './connection';
import type { CurrentKernel } from './current';
import { Glossaries } from './glossaries';
import { translateIcon } from './icons';
import { counted } from './numbers';
import { GLOSSARY, type IPanel, PANELS } from './panels';
import { Quota } from './quota';

/** Opens a panel, for a glossary if one is given. */
export type Open = (panel: IPanel, glossary?: IGlossary) => void;

const EVERY = 15_000; // milliseconds between automatic requests to the service

export class Sidebar extends ReactWidget {
  constructor(current: CurrentKernel, open: Open) {
    super();
    this._current = current;
    this._open = open;
    this.id = 'svc-nb-sidebar';
    this.addClass('svc-lab-sidebar');
    this.title.icon = translateIcon;
    this.title.caption = 'Translation';
    this.node.tabIndex = -1;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Translation');
    current.changed.connect(() => this._ask());
  }

  protected override render(): React.ReactElement {
    return (
      <UseSignal signal={this._current.changed}>
        {() => <Content current={this._current} open={this._open} refresh={() => this._refresh()} />}
      </UseSignal>
    );
  }

  protected override onAfterShow(): void {
    this._refresh();
  }

  private _refresh(): void {
    this._asked = 0;
    this._current.refresh();
    this._ask();
  }

  /** Ask the service while the sidebar is visible, but not all the time; at once for another kernel or a new bill. */
  private _ask(): void {
    const { account, status, problem } = this._current;
    const known = account !== null || problem !== '';
    const current = status.characters === this._characters && Date.now() - this._asked < EVERY;
    if (this.isVisible && status.connected && !(known && current)) {
      this._asked = Date.now();
      this._characters = status.characters;
      void this._current.askAccount();
    }
  }

  private readonly _current: CurrentKernel;
  private readonly _open: Open;
  private _asked = 0;
  private _characters = 0; // billed when the service was last asked; if more was billed since, the quota has changed
}

interface IContent {
  current: CurrentKernel;
  open: Open;
  refresh: () => void;
}

function Content({ current, open, refresh }: IContent): React.ReactElement {
  const { status, account, problem } = current;
  return (
    <>
      <div className="svc-lab-head">
        <h2>Translation</h2>
        <ToolbarButtonComponent icon={refreshIcon} tooltip="Refresh" onClick={refresh} />
      </div>
      <Section title="Connection">
        <Connection current={current} />
        {problem && (
          <p className="svc-lab-problem" role="alert">
            {problem}
          </p>
        )}
      </Section>
      {status.connected && (
        <Section title="Quota">
          {account?.quota ? <Quota quota={account.quota} /> : <Waiting problem={problem} />}
          <p className="svc-lab-small">{counted(status.characters, 'character')} billed in this session</p>
        </Section>
      )}
      <Section title="Panels">
        <ul>
          {PANELS.map(panel => (
            <li key={panel.name}>
              <button className="svc-lab-row" title={panel.caption} onClick={() => open(panel)}>
                <panel.icon.react tag="span" className="svc-lab-icon" />
                <span className="svc-lab-name">{panel.label}</span>
              </button>
            </li>
          ))}
        </ul>
      </Section>
      {status.connected && (
        <Section title="Glossaries" count={account?.glossaries?.length}>
          {account?.glossaries ? (
            <Glossaries glossaries={account.glossaries} open={glossary => open(GLOSSARY, glossary)} />
          ) : (
            <Waiting problem={problem} />
          )}
        </Section>
      )}
    </>
  );
}

interface ISection {
  title: string;
  count?: number;
  children: React.ReactNode;
}

function Section({ title, count, children }: ISection): React.ReactElement {
  return (
    <section aria-label={title}>
      <h3>
        {title}
        {!!count && <span className="svc-lab-count">{count}</span>}
      </h3>
      {children}
    </section>
  );
}

function Waiting({ problem }: { problem: string }): React.ReactElement {
  return <p className="svc-lab-small">{problem ? 'Not available.' : 'Asking the service …'}</p>;
}
