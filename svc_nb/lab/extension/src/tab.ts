/** A panel of svc_nb in a tab: drawn by its kernel's widgets, and drawn anew when the kernel was restarted. */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { OutputAreaModel, SimplifiedOutputArea } from '@jupyterlab/outputarea';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { Panel, Widget } from '@lumino/widgets';

import { call, standing } from './kernel';

const MISSING =
  'svc_nb is not installed in the environment of this kernel. In a cell of its own, run:  %pip install svc-nb';

/** A kernel, what draws its widgets, and the notebook that both belong to; null where the panels have their own. */
export interface ISeat {
  session: ISessionContext;
  rendermime: IRenderMimeRegistry;
  notebook: NotebookPanel | null;
}

export class PanelTab extends Panel {
  /** *shown* are the arguments of `svc_nb.lab.show`: the panel, and what it begins with. */
  constructor(seat: ISeat, shown: string[]) {
    super();
    this.seat = seat;
    this.shown = shown;
    this.addClass('svc-lab-tab');
    this._line.addClass('svc-lab-tab-line');
    this._line.node.setAttribute('role', 'status');
    this._output = new SimplifiedOutputArea({
      model: new OutputAreaModel({ trusted: true }),
      rendermime: seat.rendermime
    });
    this.addWidget(this._line);
    this.addWidget(this._output);
    this.session.statusChanged.connect(this._onStatus, this);
    this.session.kernelChanged.connect(this._onKernel, this);
  }

  readonly seat: ISeat;
  readonly shown: string[];

  get session(): ISessionContext {
    return this.seat.session;
  }

  /** Show the panel; a kernel that restarts meanwhile is asked again when it is idle. */
  async run(): Promise<void> {
    const kernel = this.session.session?.kernel;
    if (!kernel || this.isDisposed) {
      return;
    }
    this._stale = false;
    this._output.model.clear();
    this._say(kernel.status === 'idle' ? 'Opening …' : 'Waiting until the kernel has finished its cell …');
    try {
      const { presence } = await standing(kernel);
      await (presence === 'missing' ? Promise.resolve() : this._show(kernel));
      this._say(presence === 'missing' ? MISSING : '');
    } catch {
      this._stale = !this.isDisposed; // in the course of a restart requests are cancelled
    }
  }

  override dispose(): void {
    if (!this.isDisposed) {
      Signal.clearData(this);
      super.dispose();
    }
  }

  private async _show(kernel: Kernel.IKernelConnection): Promise<void> {
    const future = kernel.requestExecute({
      code: call('show', ...this.shown),
      store_history: false,
      stop_on_error: false,
      allow_stdin: false
    });
    this._output.future = future;
    await future.done;
  }

  private _say(text: string): void {
    this._line.node.textContent = text;
    this._line.setHidden(!text);
  }

  private _onStatus(_: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._stale = true;
      this._output.model.clear();
      this._say('The kernel restarts …');
    } else if (status === 'idle' && this._stale) {
      void this.run();
    }
  }

  private _onKernel(_: ISessionContext, { newValue }: { newValue: unknown }): void {
    this._output.model.clear();
    this._stale = newValue !== null;
    this._say(newValue === null ? 'The kernel was shut down.' : '');
  }

  private readonly _output: SimplifiedOutputArea;
  private readonly _line = new Widget();
  private _stale = false;
}
