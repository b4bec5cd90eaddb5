/** The menu of languages: those used of late, those of the settings, and all others. */

import type { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { RecentLanguages } from './languages';
import type { Settings } from './settings';

export const TRANSLATE = 'svc-nb:translate-cell';
export const TRANSLATE_INTO = 'svc-nb:translate-cell-into';

export class LanguageMenu extends Menu {
  constructor(commands: CommandRegistry, settings: Settings, recent: RecentLanguages) {
    super({ commands });
    this._settings = settings;
    this._recent = recent;
    this.addClass('svc-lab-languages');
    this.title.label = 'Translate Cell to';
    settings.changed.connect(this._fill, this);
    recent.changed.connect(this._fill, this);
    this._fill();
  }

  private _fill(): void {
    const recent = this._recent.codes;
    this.clearItems();
    this._add(recent);
    this._add(this._settings.languages.filter(code => !recent.includes(code)));
    this.addItem({ command: TRANSLATE_INTO, args: { inMenu: true } });
  }

  private _add(codes: readonly string[]): void {
    for (const target of codes) {
      this.addItem({ command: TRANSLATE, args: { target } });
    }
    if (codes.length) {
      this.addItem({ type: 'separator' });
    }
  }

  private readonly _settings: Settings;
  private readonly _recent: RecentLanguages;
}
