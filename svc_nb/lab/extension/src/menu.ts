/** The menu of languages: recently used ones, those of the settings, and all others. */

import type { INotebookTracker } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { Menu } from '@lumino/widgets';

import { language, type RecentLanguages } from './languages';
import type { Settings } from './settings';

export const TRANSLATE = 'svc-nb:translate-cell';
export const TRANSLATE_INTO = 'svc-nb:translate-cell-into';

/** "Cells" where several are selected, else "Cell". */
export function cellsOf({ currentWidget }: INotebookTracker): string {
  const notebook = currentWidget?.content;
  const selected = notebook?.widgets.filter(cell => notebook.isSelectedOrActive(cell)) ?? [];
  return selected.length > 1 ? 'Cells' : 'Cell';
}

interface IMenuParts {
  commands: CommandRegistry;
  tracker: INotebookTracker;
  settings: Settings;
  recent: RecentLanguages;
}

export class LanguageMenu extends Menu {
  /** A menu of the commands with *args*, which say for what cell it is. */
  constructor({ commands, tracker, settings, recent }: IMenuParts, args: ReadonlyPartialJSONObject = {}) {
    super({ commands });
    this._args = args;
    this._settings = settings;
    this._recent = recent;
    this.addClass('svc-lab-languages');
    const title = () => (this.title.label = `Translate ${cellsOf(tracker)} to`);
    tracker.selectionChanged.connect(title);
    tracker.activeCellChanged.connect(title);
    title();
    settings.changed.connect(this._fill, this);
    recent.changed.connect(this._fill, this);
    this._fill();
  }

  private _fill(): void {
    const recent = this._recent.codes;
    const names = recent.map(language);
    this.clearItems();
    this._add(recent);
    this._add(this._settings.languages.filter(each => !names.includes(language(each))));
    this.addItem({ command: TRANSLATE_INTO, args: { ...this._args, inMenu: true } });
  }

  private _add(codes: readonly string[]): void {
    for (const target of codes) {
      this.addItem({ command: TRANSLATE, args: { ...this._args, target } });
    }
    if (codes.length) {
      this.addItem({ type: 'separator' });
    }
  }

  private readonly _args: ReadonlyPartialJSONObject;
  private readonly _settings: Settings;
  private readonly _recent: RecentLanguages;
}
