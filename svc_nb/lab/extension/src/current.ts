/** The kernel that the user currently works with, and the state of svc_nb there. */

import { type JupyterFrontEnd } from '@jupyterlab/application';
import { type ISessionContext, MainAreaWidget } from '@jupyterlab/apputils';
import { type INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Debouncer } from '@lumino/polling';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import { type IAccount, type IStatus, UNKNOWN } from './answers';
import { ask, call, standing } from './kernel';
import { PanelTab } from './tab';

const AT_REST = 200; // milliseconds without activity before the kernel is asked
const AGAIN = 1000; // milliseconds until a slow service is asked for its answer again
const TRIES = 90;
/** Actions of a user or a panel in a kernel; our own requests cause neither. */
const DEEDS: KernelMessage.MessageType[] = ['execute_input', 'comm_msg', 'comm_close'];

export class CurrentKernel {
  constructor(shell: JupyterFrontEnd.IShell, tracker: INotebookTracker) {
    this._tracker = tracker;
    shell.currentChanged?.connect((_, { newValue }) => this._look(newValue));
    tracker.currentChanged.connect((_, notebook) => this._look(notebook));
    this._look(tracker.currentWidget);
  }

  /** Emitted when anything below has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get kernel(): Kernel.IKernelConnection | null {
    return this._session?.session?.kernel ?? null;
  }

  /** The owner of the session, as its tab names it. */
  get label(): string {
    return this._session?.session?.name ?? '';
  }

  /** Whether there is a notebook without a kernel. */
  get idleNotebook(): boolean {
    return this._session === this._tracker.currentWidget?.sessionContext && (this._session?.hasNoKernel ?? false);
  }

  get status(): IStatus {
    return this._status;
  }

  /** The last answer of the service; null before that, and without a connection. */
  get account(): IAccount | null {
    return this._account;
  }

  /** The last error, in a line. */
  get problem(): string {
    return this._problem;
  }

  /** Ask the kernel for the state of svc_nb, as soon as it is idle. */
  refresh(): void {
    this._due = true;
    void this._rest.invoke();
  }

  /** Connect in this kernel, with the current settings. */
  async connect(): Promise<void> {
    const { kernel } = this;
    if (!kernel) {
      return;
    }
    const { found, problem } = await settled(ask<Omit<IStatus, 'presence'>>(kernel, call('connect')));
    if (kernel === this.kernel) {
      if (found) {
        this._take({ presence: 'used', ...found });
      }
      this._problem = problem;
      this._changed.emit();
    }
  }

  /** Ask the service, through the kernel, for quota and glossaries; what is not available is cleared. */
  async askAccount(): Promise<void> {
    const { kernel } = this;
    const { connected, session } = this._status;
    if (!kernel || !connected || this._asking.has(kernel)) {
      return;
    }
    this._asking.add(kernel);
    const { found, problem } = await settled(patient(kernel, () => kernel === this.kernel));
    this._asking.delete(kernel);
    if (kernel === this.kernel && session === this._status.session) {
      if (found && found.session !== session) {
        this.refresh(); // the kernel has another session now
        return;
      }
      this._account = found;
      this._problem = problem;
    }
    this._changed.emit();
  }

  /** Store the kernel's answer; data of another session is dropped. */
  private _take(status: IStatus): void {
    if (status.session !== this._status.session) {
      this._account = null;
      this._problem = '';
    }
    this._status = status;
  }

  private _look(widget: Widget | null): void {
    const session = sessionOf(widget);
    if (session && !session.isDisposed && session !== this._session) {
      this._leave();
      this._session = session;
      session.disposed.connect(this._gone, this);
      session.kernelChanged.connect(this._forget, this);
      session.statusChanged.connect(this._onStatus, this);
      session.iopubMessage.connect(this._onMessage, this);
      this._forget();
    }
  }

  private _leave(): void {
    if (this._session) {
      Signal.disconnectBetween(this._session, this);
    }
    this._session = null;
  }

  private _gone(): void {
    this._leave();
    this._forget();
    const isThere = ({ isDisposed }: Widget) => !isDisposed;
    const shown = this._tracker.find(notebook => isThere(notebook) && notebook.isVisible);
    this._look(shown ?? this._tracker.find(isThere) ?? null); // none need have had the focus
  }

  private _forget(): void {
    this._status = UNKNOWN;
    this._account = null;
    this._problem = '';
    this._changed.emit();
    this.refresh();
  }

  private _onStatus(_: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._forget();
    } else if (status === 'idle' && this._due) {
      void this._rest.invoke();
    }
  }

  private _onMessage(_: ISessionContext, message: KernelMessage.IMessage): void {
    this._due ||= DEEDS.includes(message.header.msg_type);
  }

  private async _refresh(): Promise<void> {
    const kernel = this.kernel;
    if (kernel?.status !== 'idle' || !this._due) {
      return;
    }
    this._due = false;
    const status = await standing(kernel).catch(() => UNKNOWN); // a kernel that ended in the meantime
    if (kernel === this.kernel) {
      this._take(status);
      this._changed.emit();
    }
  }

  private readonly _tracker: INotebookTracker;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _rest = new Debouncer(() => this._refresh(), AT_REST);
  private _session: ISessionContext | null = null;
  private _status: IStatus = UNKNOWN;
  private _account: IAccount | null = null;
  private _problem = '';
  private _due = false;
  private readonly _asking = new WeakSet<Kernel.IKernelConnection>();
}

/** The answer to a question, or the error in a line. */
async function settled<T>(question: Promise<T>): Promise<{ found: T | null; problem: string }> {
  try {
    return { found: await question, problem: '' };
  } catch (error) {
    return { found: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Quota and glossaries; a slow service is asked again while they are *wanted*, and the kernel is free between. */
async function patient(kernel: Kernel.IKernelConnection, wanted: () => boolean): Promise<IAccount> {
  for (let tries = 0; tries < TRIES && wanted(); tries++) {
    const account = await ask<IAccount>(kernel, call('account'));
    if (!account.asking) {
      return account;
    }
    await new Promise(done => setTimeout(done, AGAIN));
  }
  throw new Error('The service does not answer.');
}

function sessionOf(widget: Widget | null): ISessionContext | null {
  if (widget instanceof NotebookPanel) {
    return widget.sessionContext;
  }
  const content = widget instanceof MainAreaWidget ? widget.content : null;
  return content instanceof PanelTab ? content.session : null;
}
