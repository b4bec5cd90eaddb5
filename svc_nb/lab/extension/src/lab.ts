/** Everything put together, for a front end that has notebooks. */

import { ILayoutRestorer, type JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';

import {
  addCellCommands,
  addPanelCommands,
  CHOOSE_LANGUAGE,
  type IParts,
  OPEN_PANEL,
  RESTORE_PANEL,
  SHOW_SIDEBAR
} from './commands';
import { CurrentKernel } from './current';
import { RecentLanguages } from './languages';
import { LanguageMenu, TRANSLATE, TRANSLATE_INTO } from './menu';
import { PANELS, Panels } from './panels';
import { Settings } from './settings';
import { Sidebar } from './sidebar';

const CATEGORY = 'Translation';
const CELL = '.jp-Notebook .jp-Cell';

export interface IHost {
  tracker: INotebookTracker;
  rendermime: IRenderMimeRegistry;
  palette: ICommandPalette | null;
  registry: ISettingRegistry | null;
}

export async function start(app: JupyterFrontEnd, host: IHost): Promise<void> {
  const { tracker, rendermime, palette, registry } = host;
  const parts: IParts = {
    app,
    tracker,
    current: new CurrentKernel(app.shell, tracker),
    panels: new Panels(app, tracker, rendermime),
    settings: new Settings(registry),
    recent: new RecentLanguages(await app.resolveOptionalService(IStateDB))
  };
  addPanelCommands(parts);
  const restorer = await app.resolveOptionalService(ILayoutRestorer);
  void restorer?.restore(parts.panels.tabs, {
    command: RESTORE_PANEL,
    args: tab => tab.content.shown,
    name: tab => tab.id
  });
  const ofMenu = { ...parts, commands: app.commands };
  addCellCommands(parts, new LanguageMenu(ofMenu));
  const submenu = new LanguageMenu(ofMenu, { clicked: true });
  app.contextMenu.addItem({ type: 'submenu', submenu, selector: CELL, rank: 20 });
  addToPalette(palette);
  const sidebar = addSidebar(parts);
  restorer?.add(sidebar, sidebar.id);
  await addRest(parts);
}

function addToPalette(palette: ICommandPalette | null): void {
  const category = CATEGORY;
  for (const { name } of PANELS) {
    palette?.addItem({ command: OPEN_PANEL, category, args: { panel: name, isPalette: true } });
  }
  for (const command of [TRANSLATE, TRANSLATE_INTO]) {
    palette?.addItem({ command, category }); // as in the key binding, which is shown beside it
  }
  palette?.addItem({ command: SHOW_SIDEBAR, category, args: { isPalette: true } });
}

function addSidebar({ app, current, panels }: IParts): Sidebar {
  const sidebar = new Sidebar(current, (panel, glossary) => void panels.open(panel, glossary));
  app.shell.add(sidebar, 'left', { rank: 900, type: 'Translation' });
  return sidebar;
}

/** What only JupyterLab has; elsewhere not even the modules are there. */
async function addRest({ app, current, settings }: IParts): Promise<void> {
  if (app.hasPlugin('@jupyterlab/launcher-extension:plugin')) {
    const { addTiles } = await import('./launcher');
    await addTiles(app, OPEN_PANEL, CATEGORY);
  }
  if (app.hasPlugin('@jupyterlab/statusbar-extension:plugin')) {
    const { addStatus } = await import('./status');
    await addStatus(app, { current, settings, open: () => void app.commands.execute(SHOW_SIDEBAR) });
  }
  app.commands.notifyCommandChanged(CHOOSE_LANGUAGE);
}
