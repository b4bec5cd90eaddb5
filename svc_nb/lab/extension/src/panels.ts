/** The panels, opened in tabs: beside the notebook and in its kernel, or in their own kernel. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, MainAreaWidget, showDialog, WidgetTracker } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { LabIcon } from '@jupyterlab/ui-components';
import { UUID } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';

import type { IWhose } from './answers';
import { documentsIcon, glossaryIcon, styleIcon, usageIcon } from './icons';
import { aside, ask, call, standing } from './kernel';
import { OwnKernel } from './own';
import { type ISeat, PanelTab, type Shown } from './tab';
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
  caption: 'Usage and limits by key',
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
  caption: 'Edit, test and push style rules',
  icon: styleIcon
};
export const DOCUMENTS: IPanel = {
  name: 'documents',
  label: 'Documents',
  caption: 'Translate files and track progress',
  icon: documentsIcon
};
export const PANELS = [USAGE, GLOSSARY, STYLE_RULES, DOCUMENTS];

const USABLE = ['used', 'there'];

/** The frame of a panel, which asks before closing with unsent changes. */
class Tab extends MainAreaWidget<PanelTab> {
  protected override onCloseRequest(message: Message): void {
    const { unsent } = this.content;
    if (unsent) {
      void this._ask(unsent, () => super.onCloseRequest(message));
    } else {
      super.onCloseRequest(message);
    }
  }

  private async _ask(unsent: string, close: () => void): Promise<void> {
    const buttons = [Dialog.cancelButton(), Dialog.warnButton({ label: 'Close anyway' })];
    const { button } = await showDialog({ title: 'Close this panel?', body: `${unsent} Close anyway?`, buttons });
    if (button.accept) {
      close();
    }
  }
}

export class Panels {
  constructor(app: JupyterFrontEnd, tracker: INotebookTracker, rendermime: IRenderMimeRegistry) {
    this._commands = app.commands;
    this._shell = app.shell;
    this._tracker = tracker;
    this._rendermime = rendermime;
    this._own = new OwnKernel(app.serviceManager, rendermime);
  }

  /** All tabs, for the page to open them again when it is loaded again. */
  readonly tabs = new WidgetTracker<Tab>({ namespace: 'svc-nb' });

  /** Open a panel, for a glossary if one is named, or return to the tab that has it. */
  async open({ name: panel }: IPanel, of?: { id: string; name: string }): Promise<Tab> {
    const seat = await this._seat();
    const glossary = of?.id ?? '';
    const account = await accountOf(seat);
    const there = this._tabs(seat.session).find(
      ({ content: { shown } }) =>
        shown.panel === panel &&
        shown.glossary === glossary &&
        (!account || !shown.account || shown.account === account)
    );
    if (there) {
      this._shell.activateById(there.id);
      return there;
    }
    const notebook = seat.notebook?.context.path ?? '';
    const empty = { account: '', name: '', short: '', page: '', unsent: '', draft: '' };
    const tab = this._framed({ tab: UUID.uuid4(), panel, glossary, title: of?.name ?? '', notebook, ...empty });
    this._add(tab, seat);
    this._sit(tab, seat);
    return tab;
  }

  /** Restore a tab from before the page was loaded again; it finds its kernel by itself. */
  restore(shown: Shown): void {
    const tab = this._framed(shown);
    this._shell.add(tab, 'main', { activate: false });
    this._look(tab);
  }

  private _look(tab: Tab): void {
    void tab.content.question.during('Looking for the kernel of this panel …', () => this._find(tab));
  }

  /** Show the panel of *tab* in the kernel it had; says what that needs, with a button to do it. */
  private async _find(tab: Tab): Promise<void> {
    const { question, shown } = tab.content;
    const path = shown.notebook;
    await this._tracker.restored;
    const notebook = this._tracker.find(({ context }) => context.path === path);
    if (notebook) {
      await notebook.sessionContext.ready;
      this._sit(tab, await this._beside(notebook));
    } else if (path) {
      const other = this._tracker.currentWidget;
      const options = other ? { mode: 'tab-after', ref: other.id } : { mode: 'split-left', ref: tab.id };
      const open = () => this._commands.execute('docmanager:open', { path, options }).then(() => this._find(tab));
      const where = `This panel was in the kernel of ${path}.`;
      question.say([where, tab.content.unsent, 'Open the notebook to show the panel again.'].filter(Boolean).join(' '), {
        'Open the notebook': () => void question.during('Opening the notebook …', open)
      });
    } else if (await this._own.isRunning()) {
      this._sit(tab, await this._own.seat());
    } else {
      const start = async () => this._sit(tab, await this._own.seat());
      question.say('The kernel of this panel has ended. Start one to show the panel again.', {
        'Start a kernel': () => void question.during('Starting a kernel …', start)
      });
    }
  }

  private _sit(tab: Tab, seat: ISeat): void {
    const { content } = tab;
    if (!seat.notebook) {
      this._own.keepFor(tab, seat);
    }
    if (tab.isDisposed || content.seat) {
      return;
    }
    content.sit(seat);
    seat.notebook?.disposed.connect(() => this._onClosed(tab), content); // a tab that is closed is forgotten
    seat.notebook?.context.pathChanged.connect((_, path) => content.rename(path), content);
    void content.run();
  }

  /** A panel is closed with its notebook, unless it has unsent changes. */
  private _onClosed(tab: Tab): void {
    if (tab.content.unsent) {
      tab.content.leave();
      this._look(tab);
    } else {
      tab.dispose();
    }
  }

  /** The kernel in front: that of a panel, of the notebook if it has svc_nb, or the panels' own. */
  private async _seat(): Promise<ISeat> {
    const { currentWidget } = this._shell;
    if (isTab(currentWidget) && currentWidget.content.seat) {
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

  private _tabs(session: unknown): Tab[] {
    return this.tabs.filter(tab => tab.content.session === session);
  }

  /** JupyterLab shows it beside the notebook; Notebook 7, which shows one document, in its right sidebar. */
  private _add(tab: Tab, { session }: ISeat): void {
    const notebook = this._tracker.currentWidget;
    const shell: JupyterFrontEnd.IShell & { expandRight?(id: string): void; mode?: string } = this._shell;
    if (shell.mode === undefined) {
      shell.add(tab, 'right');
      shell.expandRight?.(tab.id);
      return;
    }
    const [own] = this._tabs(session);
    const other = this.tabs.find(({ isVisible }) => isVisible) ?? own; // a visible one is not hidden behind a notebook
    const beside = { mode: other ? 'tab-after' : 'split-right', ref: (other ?? notebook)?.id } as const;
    shell.add(tab, 'main', other || notebook ? beside : {});
    shell.activateById(tab.id);
  }

  private _framed(shown: Shown): Tab {
    const { label, caption, icon } = PANELS.find(({ name }) => name === shown.panel) ?? USAGE;
    const tab = new Tab({ content: new PanelTab(shown) });
    tab.id = `svc-nb-${shown.tab}`;
    tab.title.label = shown.title || label;
    tab.title.caption = shown.title ? `${label}: ${shown.title}` : caption;
    tab.title.icon = icon;
    tab.title.closable = true;
    tab.content.changed.connect(() => {
      tab.title.className = tab.content.unsent ? 'jp-mod-dirty' : '';
      this._name();
      void this.tabs.save(tab);
    });
    tab.disposed.connect(() => this._name());
    void this.tabs.add(tab);
    return tab;
  }

  /** Tabs with the same title get the account in their titles or, if that is the same, the notebook, too. */
  private _name(): void {
    const label = ({ content: { shown } }: Tab) =>
      shown.title || (PANELS.find(({ name }) => name === shown.panel) ?? USAGE).label;
    const whose = (tab: Tab) => [label(tab), tab.content.shown.short].filter(Boolean).join(' – ');
    const notebook = (tab: Tab) => tab.content.shown.notebook.split('/').at(-1)?.replace(/\.ipynb$/, '');
    const whole = (tab: Tab) => [whose(tab), notebook(tab)].filter(Boolean).join(' – ');
    const all = this.tabs.filter(tab => !tab.isDisposed);
    for (const tab of all) {
      const shared = (name: (tab: Tab) => string) => all.some(other => other !== tab && name(other) === name(tab));
      tab.title.label = [label, whose].find(name => !shared(name))?.(tab) ?? whole(tab);
    }
  }

  private readonly _commands: JupyterFrontEnd['commands'];
  private readonly _shell: JupyterFrontEnd.IShell;
  private readonly _tracker: INotebookTracker;
  private readonly _rendermime: IRenderMimeRegistry;
  private readonly _own: OwnKernel;
}

/** The account that a panel would show; empty if the kernel does not report it. */
async function accountOf({ session }: ISeat): Promise<string> {
  const kernel = session.session?.kernel;
  const answer = kernel && aside(kernel, line => ask<IWhose>(line, call('whose', '')));
  return answer ? answer.then(({ account }) => account).catch(() => '') : '';
}

function isTab(widget: unknown): widget is Tab {
  return widget instanceof Tab;
}
