/** A kernel for panels that are opened where no notebook has one: started at first need, ended with its last tab. */

import type { WidgetRenderer } from '@jupyter-widgets/jupyterlab-manager';
import { SessionContext } from '@jupyterlab/apputils';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ServiceManager } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { ISeat } from './tab';
import { managed, until } from './widgets';

const NAME = 'the panels';

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

  /** The kernel lives as long as *tab*, at least. */
  keepFor(tab: Widget, { session }: ISeat): void {
    this._tabs.add(tab);
    tab.disposed.connect(() => {
      this._tabs.delete(tab);
      if (!this._tabs.size) {
        this._seat = null;
        session.dispose();
      }
    });
  }

  private async _start(): Promise<ISeat> {
    const { kernelspecs, sessions, kernels } = this._services;
    await kernelspecs.ready;
    const session = new SessionContext({
      sessionManager: sessions,
      specsManager: kernelspecs,
      kernelManager: kernels,
      name: NAME,
      path: 'svc_nb',
      type: 'svc-nb',
      kernelPreference: {
        name: kernelspecs.specs?.default,
        autoStartDefault: true,
        shutdownOnDispose: true
      }
    });
    await session.initialize();
    await session.ready;
    return { session, rendermime: await this._drawing(session), notebook: null };
  }

  /** What draws the widgets of the kernel of *session*: every kind that is installed, as in a notebook. */
  private async _drawing(session: SessionContext): Promise<IRenderMimeRegistry> {
    const { registerWidgetManager } = await import('@jupyter-widgets/jupyterlab-manager');
    const own = this._rendermime.clone();
    const context = {
      sessionContext: session,
      saveState: new Signal<object, DocumentRegistry.SaveState>({}),
      model: { getMetadata: () => undefined, setMetadata: () => undefined }
    };
    const seen: { manager?: { restoredStatus: boolean } } = {}; // takes the place of an output that is drawn already
    const outputs = [seen as unknown as WidgetRenderer][Symbol.iterator]();
    const document = context as unknown as DocumentRegistry.IContext<INotebookModel>; // as much as is used of one
    const registered = registerWidgetManager(document, own, outputs);
    session.disposed.connect(() => registered.dispose());
    await managed(own, this._rendermime);
    await until(() => seen.manager?.restoredStatus ?? false); // what comes while it looks for old widgets gets lost
    return own;
  }

  private readonly _services: ServiceManager.IManager;
  private readonly _rendermime: IRenderMimeRegistry;
  private readonly _tabs = new Set<Widget>();
  private _seat: Promise<ISeat> | null = null;
}
