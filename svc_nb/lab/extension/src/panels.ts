/** The panels, opened in tabs: beside the notebook and in its kernel, or in a kernel of their own. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { LabIcon } from '@jupyterlab/ui-components';

import { glossaryIcon, styleIcon, usageIcon } from './icons';
import { standing } from './kernel';
import { OwnKernel } from './own';
import { type ISeat, PanelTab } from './tab';
import { managed } from './widgets';

export interface IPanel {
  name: string;
  label: string;
  caption: string;
  icon: LabIcon;
}

/** By the names that `svc_nb.lab.show` takes. */
export const USAGE: IPanel = {
  name: 'usage',
  label: 'Usage',
  caption: 'Who used how much, and the caps of keys',
  icon: usageIcon
};
export const GLOSSARY: IPanel = {
  name: 'glossary',
  label: 'Glossary',
  caption: 'Edit, check and send the terms of a glossary',
  icon: glossaryIcon
};
export const STYLE_RULES: IPanel = {
  name: 'style',
  label: 'Style Rules',
  caption: 'Edit, try and send how translations are to be written',
  icon: styleIcon
};
export const PANELS = [USAGE, GLOSSARY, STYLE_RULES];

const USABLE = ['used', 'there'];

type Tab = MainAreaWidget<PanelTab>;

export class Panels {
  constructor(app: JupyterFrontEnd, tracker: INotebookTracker, rendermime: IRenderMimeRegistry) {
    this._shell = app.shell;
    this._tracker = tracker;
    this._rendermime = rendermime;
    this._own = new OwnKernel(app.serviceManager, rendermime);
  }

  /** Open a panel, for a glossary if one is named, or come back to the tab that has it. */
  async open(panel: IPanel, glossary?: { id: string; name: string }): Promise<Tab> {
    const seat = await this._seat();
    const shown = glossary ? [panel.name, glossary.id] : [panel.name];
    const there = this._find(seat, shown);
    if (there) {
      this._shell.activateById(there.id);
      return there;
    }
    const tab = framed(new PanelTab(seat, shown), panel, glossary?.name);
    if (seat.notebook) {
      seat.notebook.disposed.connect(() => tab.dispose());
    } else {
      this._own.keepFor(tab, seat);
    }
    this._add(tab);
    void tab.content.run();
    return tab;
  }

  /** The kernel that a person looks at: that of a panel, of the notebook where it has svc_nb, or the panels' own. */
  private async _seat(): Promise<ISeat> {
    const { currentWidget } = this._shell;
    if (isTab(currentWidget)) {
      return currentWidget.content.seat;
    }
    const notebook = this._tracker.currentWidget;
    await notebook?.sessionContext.ready;
    const kernel = notebook?.sessionContext.session?.kernel;
    const { presence } = kernel ? await standing(kernel) : { presence: 'none' };
    return notebook && USABLE.includes(presence) ? this._beside(notebook) : this._own.seat();
  }

  private async _beside(notebook: NotebookPanel): Promise<ISeat> {
    const { rendermime } = notebook.content;
    await managed(rendermime, this._rendermime);
    return { session: notebook.sessionContext, rendermime, notebook };
  }

  private _find({ session }: ISeat, shown: string[]): Tab | undefined {
    return this._tabs(session).find(tab => tab.content.shown.join() === shown.join());
  }

  private _tabs(session: unknown): Tab[] {
    const all = ['main', 'right'].flatMap(area => [...this._shell.widgets(area)]);
    return all.filter(isTab).filter(tab => tab.content.session === session);
  }

  /** JupyterLab shows it beside the notebook; Notebook 7, which shows one document, in its right sidebar. */
  private _add(tab: Tab): void {
    const { session } = tab.content.seat;
    const notebook = this._tracker.currentWidget;
    const shell: JupyterFrontEnd.IShell & { expandRight?(id: string): void; mode?: string } = this._shell;
    if (shell.mode === undefined) {
      shell.add(tab, 'right');
      shell.expandRight?.(tab.id);
      return;
    }
    const [other] = this._tabs(session);
    const beside = { mode: other ? 'tab-after' : 'split-right', ref: (other ?? notebook)?.id } as const;
    shell.add(tab, 'main', other || notebook ? beside : {});
    shell.activateById(tab.id);
  }

  private readonly _shell: JupyterFrontEnd.IShell;
  private readonly _tracker: INotebookTracker;
  private readonly _rendermime: IRenderMimeRegistry;
  private readonly _own: OwnKernel;
}

function isTab(widget: unknown): widget is Tab {
  return widget instanceof MainAreaWidget && widget.content instanceof PanelTab;
}

let count = 0;

function framed(content: PanelTab, { name, label, caption, icon }: IPanel, of?: string): Tab {
  const tab = new MainAreaWidget({ content });
  tab.id = `svc-nb-${name}-${++count}`;
  tab.title.label = of ?? label;
  tab.title.caption = of ? `${label}: ${of}` : caption;
  tab.title.icon = icon;
  tab.title.closable = true;
  return tab;
}
