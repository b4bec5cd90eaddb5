/** The extension: panels in tabs, cells translated in place, a sidebar, and a count in the status bar. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'svc-nb:plugin',
  description: 'Panels, cell translation and usage of svc_nb.',
  autoStart: true,
  optional: [INotebookTracker, IRenderMimeRegistry, ICommandPalette, ISettingRegistry],
  activate: async (
    app: JupyterFrontEnd,
    tracker: INotebookTracker | null,
    rendermime: IRenderMimeRegistry | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ) => {
    if (tracker && rendermime) {
      const { start } = await import('./lab'); // Voila has neither notebooks nor all modules that this needs
      await start(app, { tracker, rendermime, palette, registry });
    }
  }
};

export default plugin;
