/** The commands: open a panel, translate cells, show the sidebar. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Menu } from '@lumino/widgets';

import type { ILanguage } from './answers';
import { chooseLanguage } from './choice';
import type { CurrentKernel } from './current';
import { translateIcon } from './icons';
import { ask, call } from './kernel';
import { language, type RecentLanguages } from './languages';
import { cellsOf, TRANSLATE, TRANSLATE_INTO } from './menu';
import { failure, tell } from './notice';
import { type IPanel, PANELS, type Panels } from './panels';
import type { Settings } from './settings';
import type { Shown } from './tab';
import { translateCells } from './translation';
import { withTranslator } from './translator';

export const OPEN_PANEL = 'svc-nb:open-panel';
export const RESTORE_PANEL = 'svc-nb:restore-panel';
export const CHOOSE_LANGUAGE = 'svc-nb:choose-language';
export const SHOW_SIDEBAR = 'svc-nb:show-sidebar';

type Arguments = ReadonlyPartialJSONObject;

export interface IParts {
  app: JupyterFrontEnd;
  tracker: INotebookTracker;
  current: CurrentKernel;
  panels: Panels;
  settings: Settings;
  recent: RecentLanguages;
}

function panelOf({ panel }: Arguments): IPanel {
  return PANELS.find(({ name }) => name === panel) ?? PANELS[0];
}

export function addPanelCommands({ app, panels }: IParts): void {
  app.commands.addCommand(OPEN_PANEL, {
    label: args => (args.isPalette ? `Open the ${panelOf(args).label} Panel` : panelOf(args).label),
    caption: args => panelOf(args).caption,
    icon: args => (args.isPalette ? undefined : panelOf(args).icon),
    describedBy: { args: { type: 'object', properties: { panel: { enum: PANELS.map(({ name }) => name) } } } },
    execute: async args => {
      const launcher = args.inLauncher ? app.shell.currentWidget : null;
      const tab = await panels.open(panelOf(args));
      launcher?.dispose(); // a tile is replaced by what it opened
      return tab.id;
    }
  });
  app.commands.addCommand(RESTORE_PANEL, {
    describedBy: { args: { type: 'object' } },
    execute: args => panels.restore({ ...(args as Shown) })
  });
  app.commands.addCommand(SHOW_SIDEBAR, {
    label: 'Show the Translation Sidebar',
    icon: args => (args.isPalette ? undefined : translateIcon),
    execute: () => app.shell.activateById('svc-nb-sidebar')
  });
}

export function addCellCommands({ app, tracker, current, settings, recent }: IParts, menu: Menu): void {
  const isEnabled = () => tracker.activeCell !== null && tracker.currentWidget === app.shell.currentWidget;
  const translate = async (target: string) => {
    if (tracker.currentWidget) {
      const code = await translateCells(tracker.currentWidget, target);
      if (code) {
        recent.use(code);
      }
      current.refresh();
    }
  };
  // The context menu is for the right-clicked cell, which need not be the active one. A menu leaves the focus nowhere;
  // the notebook gets it back for the keyboard.
  const activateClicked = ({ clicked }: Arguments) => {
    const node = clicked && app.contextMenuHitTest(({ classList }) => classList.contains('jp-Cell'));
    const notebook = tracker.currentWidget?.content;
    const index = notebook?.widgets.findIndex(cell => cell.node === node) ?? -1;
    if (notebook && index >= 0 && !notebook.isSelectedOrActive(notebook.widgets[index])) {
      notebook.deselectAll();
      notebook.activeCellIndex = index;
    }
    if (document.activeElement === document.body) {
      notebook?.activate();
    }
  };
  const translateTo = () => `Translate ${cellsOf(tracker)} to`;
  const targetOf = ({ target }: Arguments) => (typeof target === 'string' ? target : settings.targetLanguage);
  app.commands.addCommand(TRANSLATE, {
    label: args => `${args.target ? '' : `${translateTo()} `}${language(targetOf(args))}`,
    describedBy: { args: { type: 'object', properties: { target: { type: 'string' } } } },
    isEnabled,
    execute: args => {
      activateClicked(args);
      return translate(targetOf(args));
    }
  });
  app.commands.addCommand(TRANSLATE_INTO, {
    label: args => (args.inMenu ? 'Other Language …' : `${translateTo()} …`),
    isEnabled,
    execute: async args => {
      activateClicked(args);
      try {
        const target = tracker.currentWidget && (await chosenLanguage(tracker.currentWidget, translateTo(), recent.codes));
        return target && (await translate(target));
      } catch (error) {
        return tell(failure(error));
      }
    }
  });
  app.commands.addCommand(CHOOSE_LANGUAGE, {
    label: () => `${translateTo()} …`,
    icon: translateIcon,
    isEnabled,
    execute: () => {
      const { left = 0, bottom = 0 } = buttonOf(tracker)?.getBoundingClientRect() ?? {};
      menu.open(left, bottom);
    }
  });
}

/** The button that opens the menu of languages, in the toolbar of the active cell. */
function buttonOf(tracker: INotebookTracker): Element | null | undefined {
  return tracker.activeCell?.node.querySelector(`[data-command="${CHOOSE_LANGUAGE}"]`) ?? tracker.activeCell?.node;
}

/** Let the user choose among all languages of the service. */
async function chosenLanguage(
  notebook: NotebookPanel,
  title: string,
  recent: readonly string[]
): Promise<string | null> {
  const question = call('languages');
  const { languages } = await withTranslator(notebook, line => ask<{ languages: ILanguage[] }>(line, question));
  return chooseLanguage(title, languages, recent);
}
