/** A panel of svc_nb in a tab: drawn by its kernel's widgets, and drawn again after a kernel restart. */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { OutputAreaModel, SimplifiedOutputArea } from '@jupyterlab/outputarea';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { Panel } from '@lumino/widgets';

import type { IUnsent, IWhose } from './answers';
import { ask, call, Failure, standing } from './kernel';
import { Question } from './question';
import { FOREIGN } from './translator';

const MISSING =
  'svc_nb is not installed in the environment of this kernel. In a cell of its own, run:  %pip install svc-nb';
/** If the panels have their own kernel, which has no cells. */
const OWN_MISSING =
  'svc_nb is not installed in the environment of this Python kernel. In a terminal there, run:  pip install svc-nb';
const OWN_FOREIGN = 'svc_nb needs a Python kernel, and JupyterLab has none.';

/** A kernel, the registry that draws its widgets, and their notebook; null if the panels have their own kernel. */
export interface ISeat {
  session: ISessionContext;
  rendermime: IRenderMimeRegistry;
  notebook: NotebookPanel | null;
}

/** What a tab shows, kept for when the page is loaded again; texts that do not apply are empty. */
export type Shown = {
  tab: string;
  panel: string;
  glossary: string;
  title: string;
  /** The path of the notebook whose kernel has the panel. */
  notebook: string;
  /** What `svc_nb.lab.whose` returned when the panel was last shown. */
  account: string;
  name: string;
  short: string;
  /** The open page of the panel, by number, and its unsent changes; see `IUnsent`. */
  page: string;
  unsent: string;
  draft: string;
  /** Unsent changes for other accounts that the tab showed before, by account. */
  others?: Record<string, { name: string; unsent: string; draft: string }>;
};

const AT_REST = 200; // milliseconds without a change before a panel is checked

export class PanelTab extends Panel {
  constructor(shown: Shown) {
    super();
    this.shown = shown;
    this.addClass('svc-lab-tab');
    this.node.tabIndex = -1;
    this.addWidget(this.question);
    this._watch.observe(this.node, { subtree: true, childList: true, attributeFilter: ['class', 'aria-selected'] });
  }

  readonly shown: Shown;
  /** The message or question shown instead of the panel. */
  readonly question = new Question();
  /** Emitted when the part of `shown` to keep has changed. */
  readonly changed = new Signal<this, void>(this);

  get seat(): ISeat | null {
    return this._seat;
  }

  /** The unsent changes for any account, in words. */
  get unsent(): string {
    const others = Object.values(this.shown.others ?? {}).map(({ name, unsent }) => `For ${name}: ${unsent}`);
    return [this.shown.unsent, ...others].filter(Boolean).join(' ');
  }

  get session(): ISessionContext | null {
    return this._seat?.session ?? null;
  }

  /** Work with this kernel from now on. */
  sit(seat: ISeat): void {
    const { session, rendermime } = seat;
    this._seat = seat;
    this._output = new SimplifiedOutputArea({ model: new OutputAreaModel({ trusted: true }), rendermime });
    this.addWidget(this._output);
    session.statusChanged.connect(this._onStatus, this);
    session.kernelChanged.connect(this._onKernel, this);
    session.iopubMessage.connect(this._onMessage, this);
  }

  /** Do without the kernel, which was closed with its notebook, until there is another one. */
  leave(): void {
    if (this.session) {
      Signal.disconnectBetween(this.session, this);
    }
    this._output?.dispose();
    this._output = this._seat = null;
  }

  /** The notebook of the panel was moved to *path*. */
  rename(path: string): void {
    this.shown.notebook = path;
    this.changed.emit();
  }

  /** Show the panel, if its account is still the same, or *anyway*; a restarting kernel is asked again when idle. */
  async run(anyway = false, again = false): Promise<void> {
    const kernel = this.session?.session?.kernel;
    if (!kernel || this.isDisposed) {
      this._sayGone('This panel has no kernel.');
      return;
    }
    this._stale = this._waits = false;
    this.question.say(kernel.status === 'idle' ? 'Opening …' : 'Waiting until the kernel has finished its cell …');
    try {
      const { presence } = await standing(kernel);
      if (presence === 'missing') {
        this._ask(this._seat?.notebook ? MISSING : OWN_MISSING);
      } else if (presence === 'foreign') {
        this._ask(this._seat?.notebook ? FOREIGN : OWN_FOREIGN);
      } else {
        const now = await ask<IWhose>(kernel, call('whose', this.shown.tab));
        if (anyway || this._isSame(now, again)) {
          this._turnTo(now);
          this._output?.model.clear();
          await this._show(kernel);
          this.question.say('');
        }
      }
    } catch (error) {
      this._stale = !this.isDisposed; // a restart cancels requests
      if (error instanceof Failure) {
        this._ask(error.message);
      }
    }
  }

  override dispose(): void {
    if (!this.isDisposed) {
      const kernel = this.session?.session?.kernel;
      if (kernel && !kernel.isDisposed) {
        ask(kernel, call('close', this.shown.tab)).catch(() => undefined); // a kernel may be shut down with its tab
      }
      this._watch.disconnect();
      clearTimeout(this._timer);
      Signal.clearData(this);
      super.dispose();
    }
  }

  /** Whether the panel would show the same account as before; if not, ask what to do. */
  private _isSame(now: IWhose, again: boolean): boolean {
    const { account, name, unsent } = this.shown;
    if (!account || now.shown || account === now.account) {
      return true;
    }
    const other = name === now.name ? `${now.name}, with another key` : now.name;
    const still = again ? `Tried again: the kernel ${now.connected ? 'is connected' : 'would connect'} to ${other}. ` : '';
    const waits = unsent && `${unsent} Unsent changes are kept here for that account. `;
    this._ask(`${still}This tab showed another account: ${name}. ${waits}Run your connect cell, or show ${other}.`, {
      [`Show ${other}`]: () => void this.run(true)
    });
    return false;
  }

  /** Set aside unsent changes for the previous account, and restore those for the one shown *now*. */
  private _turnTo(now: IWhose): void {
    const { account, name, unsent, draft, others = {} } = this.shown;
    const { [now.account]: own, ...rest } = others;
    const isOther = account !== '' && account !== now.account;
    if (!now.shown && (isOther || (own && !draft))) {
      const left = isOther && draft ? { ...rest, [account]: { name, unsent, draft } } : rest;
      Object.assign(this.shown, { unsent: own?.unsent ?? '', draft: own?.draft ?? '', others: left });
    }
  }

  private _ask(text: string, answers: Record<string, () => void> = {}): void {
    this._waits = true;
    this._output?.model.clear();
    this.question.say(text, { 'Try again': () => void this.run(false, true), ...answers });
  }

  private async _show(kernel: Kernel.IKernelConnection): Promise<void> {
    const { panel, tab, glossary, page, draft } = this.shown;
    const future = kernel.requestExecute({
      code: call('show', panel, tab, glossary, page ?? '', draft ?? ''),
      store_history: false,
      stop_on_error: false,
      allow_stdin: false
    });
    if (this._output) {
      this._output.future = future;
    }
    await future.done;
    await this._name(kernel);
  }

  /** Remember which account is shown. */
  private async _name(kernel: Kernel.IKernelConnection): Promise<void> {
    const { account, name, short } = await ask<IWhose>(kernel, call('whose', this.shown.tab));
    Object.assign(this.shown, { account, name, short });
    this.changed.emit();
  }

  /** Remember the open page and unsent changes while the panel is alive, because a kernel that is gone has neither. */
  private async _look(): Promise<void> {
    const kernel = this.session?.session?.kernel;
    const { shown, node } = this;
    if (!kernel || this._stale || !node.querySelector('.svc-root:not(.svc-gone)')) {
      return;
    }
    const corner = node.querySelector('.svc-account')?.textContent ?? '';
    if (corner && this._corner && corner !== this._corner) {
      await this._name(kernel).catch(() => undefined); // the kernel has connected again, and the panel follows
    }
    this._corner = corner || this._corner;
    const pages = [...node.querySelectorAll('.svc-tab')];
    const page = pages.findIndex(each => each.getAttribute('aria-selected') === 'true');
    const kept: Partial<Shown> = { page: page > 0 ? String(page) : '', unsent: '', draft: '' };
    if (shown.unsent || node.querySelector('.svc-unsent')) { // a panel being drawn does not show it yet
      Object.assign(kept, await ask<IUnsent>(kernel, call('unsent', shown.tab)).catch(() => ({ unsent: shown.unsent, draft: shown.draft })));
    }
    if (!this.isDisposed && !this._stale && JSON.stringify({ ...shown, ...kept }) !== JSON.stringify(shown)) {
      Object.assign(shown, kept);
      this.changed.emit();
    }
  }

  private _sayGone(text: string): void {
    this._output?.model.clear();
    this.question.say(`${text} Start one to show the panel again.`, {
      'Start a kernel': () => void this._start()
    });
  }

  private async _start(): Promise<void> {
    this.question.say('Starting a kernel …');
    if (await this.session?.startKernel()) {
      this._sayGone('The kernel did not start.');
    }
  }

  private _onStatus(_: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._stale = true;
      this._output?.model.clear();
      this.question.say('Restarting the kernel …');
    } else if (status === 'dead') {
      this._sayGone('The kernel died.');
    } else if (status === 'idle' && this._stale) {
      void this.run();
    } else if (status === 'idle' && this._ran) {
      void this._goBack().catch(() => undefined); // a kernel that ended in the meantime
    }
  }

  private _onKernel(_: ISessionContext, { newValue }: { newValue: unknown }): void {
    this._output?.model.clear();
    this._stale = newValue !== null;
    if (newValue === null) {
      this._sayGone('The kernel was shut down.');
    } else {
      this.question.say('');
    }
  }

  /** A cell may have connected: then a tab with a question checks again, and so does one with unsent caps. */
  private _onMessage(_: ISessionContext, message: KernelMessage.IMessage): void {
    const ran = message.header.msg_type === 'execute_input';
    this._stale ||= this._waits && ran;
    this._ran ||= ran && Object.keys(this.shown.others ?? {}).length > 0;
  }

  /** Show the account with unsent changes, if the kernel is connected to it now. */
  private async _goBack(): Promise<void> {
    const kernel = this.session?.session?.kernel;
    const { tab, others = {} } = this.shown;
    this._ran = false;
    if (!kernel) {
      return;
    }
    const now = await ask<IWhose>(kernel, call('whose', tab));
    if (now.account in others) {
      await ask(kernel, call('close', tab));
      await this.run(true);
    }
  }

  private readonly _watch = new MutationObserver(() => {
    clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._look(), AT_REST);
  });
  private _timer = 0;
  private _corner = ''; // the account as the panel names it
  private _seat: ISeat | null = null;
  private _output: SimplifiedOutputArea | null = null;
  private _stale = false;
  private _ran = false; // a cell, since the kernel's account was last checked
  private _waits = false;
}
