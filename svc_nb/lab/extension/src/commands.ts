/** The commands: open a panel, translate cells, show the sidebar. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { InputDialog } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Menu } from '@lumino/widgets';

import type { CurrentKernel } from './current';
import { translateIcon } from './icons';
import { ask, call } from './kernel';
import { language, type RecentLanguages } from './languages';
import { TRANSLATE, TRANSLATE_INTO } from './menu';
import { failure, tell } from './notice';
import { type IPanel, PANELS, type Panels } from './panels';
import type { Settings } from './settings';
import { translateCells } from './translation';
import { withTranslator } from './translator';

export const OPEN_PANEL = 'svc-nb:open-panel';
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
      launcher?.dispose(); // a tile's place is taken by what it opened
      return tab.id;
    }
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
      recent.use(target);
      await translateCells(tracker.currentWidget, target);
      current.refresh();
    }
  };
  const targetOf = ({ target }: Arguments) => (typeof target === 'string' ? target : settings.targetLanguage);
  app.commands.addCommand(TRANSLATE, {
    label: args => (args.target ? language(targetOf(args)) : `Translate Cell to ${language(targetOf(args))}`),
    describedBy: { args: { type: 'object', properties: { target: { type: 'string' } } } },
    isEnabled,
    execute: args => translate(targetOf(args))
  });
  app.commands.addCommand(TRANSLATE_INTO, {
    label: args => (args.inMenu ? 'Other Language …' : 'Translate Cell to …'),
    isEnabled,
    execute: async () => {
      const first = recent.codes[0] ?? settings.targetLanguage;
      try {
        const target = tracker.currentWidget && (await chosenLanguage(tracker.currentWidget, first));
        return target && (await translate(target));
      } catch (error) {
        return tell(failure(error));
      }
    }
  });
  app.commands.addCommand(CHOOSE_LANGUAGE, {
    label: 'Translate Cell to …',
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

/** Let a person choose among all languages of the service. */
async function chosenLanguage(notebook: NotebookPanel, first: string): Promise<string | null> {
  const question = call('languages');
  const { languages } = await withTranslator(notebook, line => ask<{ languages: string[] }>(line, question));
  const items = languages.map(code => `${language(code)} (${code})`);
  const order = languages.map((_, index) => index).sort((one, other) => items[one].localeCompare(items[other], 'en'));
  const { value } = await InputDialog.getItem({
    title: 'Translate Cell to',
    items: order.map(index => items[index]),
    current: Math.max(0, order.indexOf(languages.indexOf(first))),
    okLabel: 'Translate'
  });
  return value === null ? null : languages[items.indexOf(value)];
}
