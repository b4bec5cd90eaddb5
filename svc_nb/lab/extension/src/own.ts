/** A kernel for panels opened without a notebook kernel: started when first needed, and shut down with its last tab. */

import type { WidgetRenderer } from '@jupyter-widgets/jupyterlab-manager';
import { SessionContext } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { KernelSpec, ServiceManager } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { ISeat } from './tab';
import { managed, until } from './widgets';

const NAME = 'the panels';
const PATH = 'svc_nb';

export class OwnKernel {
  constructor(services: ServiceManager.IManager, rendermime: IRenderMimeRegistry) {
    this._services = services;
    this._rendermime = rendermime;
  }

  /** The kernel, running. */
  async seat(): Promise<ISeat> {
    this._seat ??= this._start();
    try {
      return await this._seat;
    } catch (error) {
      this._seat = null;
      throw error;
    }
  }

  /** Whether the kernel is running, maybe since before the page was loaded. */
  async isRunning(): Promise<boolean> {
    const { sessions } = this._services;
    await sessions.ready;
    await sessions.refreshRunning();
    return [...sessions.running()].some(({ path }) => path === PATH);
  }

  /** Keep the kernel running at least as long as *tab*. */
  keepFor(tab: Widget, { session }: ISeat): void {
    const leave = () => {
      this._tabs.delete(tab);
      if (!this._tabs.size) {
        this._seat = null;
        session.dispose();
      }
    };
    if (tab.isDisposed) {
      leave();
    } else {
      this._tabs.add(tab);
      tab.disposed.connect(leave);
    }
  }

  private async _start(): Promise<ISeat> {
    const { kernelspecs, sessions, kernels } = this._services;
    await kernelspecs.ready;
    const session = new SessionContext({
      sessionManager: sessions,
      specsManager: kernelspecs,
      kernelManager: kernels,
      name: NAME,
      path: PATH,
      type: 'svc-nb',
      kernelPreference: {
        name: python(kernelspecs.specs),
        autoStartDefault: true,
        shutdownOnDispose: true
      }
    });
    if (await session.initialize()) {
      throw new Error('The kernel of the panels did not start.'); // JupyterLab shows why
    }
    return { session, rendermime: await this._drawing(session), notebook: null };
  }

  /** Draws the widgets of the kernel of *session*: every installed kind, as in a notebook. */
  private async _drawing(session: SessionContext): Promise<IRenderMimeRegistry> {
    const { registerWidgetManager } = await import('@jupyter-widgets/jupyterlab-manager');
    const own = this._rendermime.clone();
    const context = {
      sessionContext: session,
      saveState: new Signal<object, DocumentRegistry.SaveState>({}),
      model: { getMetadata: () => undefined, setMetadata: () => undefined }
    };
    const seen: { manager?: { restoredStatus: boolean } } = {}; // replaces an output that is already drawn
    const outputs = [seen as unknown as WidgetRenderer][Symbol.iterator]();
    const document = context as unknown as DocumentRegistry.IContext<INotebookModel>; // as much as is used of one
    const registered = registerWidgetManager(document, own, outputs);
    session.disposed.connect(() => registered.dispose());
    await managed(own, this._rendermime);
    await until(() => seen.manager?.restoredStatus ?? false); // messages before that are lost
    return own;
  }

  private readonly _services: ServiceManager.IManager;
  private readonly _rendermime: IRenderMimeRegistry;
  private readonly _tabs = new Set<Widget>();
  private _seat: Promise<ISeat> | null = null;
}

/** The default kernel if it is a Python kernel, otherwise the first one that is. */
function python(specs: KernelSpec.ISpecModels | null): string | undefined {
  const names = [specs?.default ?? '', ...Object.keys(specs?.kernelspecs ?? {})];
  return names.find(name => specs?.kernelspecs[name]?.language === 'python') ?? specs?.default;
}
