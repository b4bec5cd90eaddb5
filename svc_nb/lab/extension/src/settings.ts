/** The user's settings in JupyterLab. */

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

const ID = 'svc-nb:plugin';

export class Settings {
  constructor(registry: ISettingRegistry | null) {
    void this._load(registry);
  }

  readonly changed = new Signal<this, void>(this);

  /** The default target language, by its name or code. */
  targetLanguage = 'EN-US';
  /** The languages in the menus, by their names or codes. */
  languages: string[] = [];
  /** Whether the status bar shows the characters. */
  statusBar = true;

  private async _load(registry: ISettingRegistry | null): Promise<void> {
    const settings = await registry?.load(ID).catch(() => null);
    if (settings) {
      settings.changed.connect(() => this._take(settings));
      this._take(settings);
    }
  }

  private _take({ composite }: ISettingRegistry.ISettings): void {
    const { targetLanguage, languages, statusBar } = composite;
    this.targetLanguage = typeof targetLanguage === 'string' ? targetLanguage.trim() : this.targetLanguage;
    this.languages = Array.isArray(languages) ? languages.map(each => String(each).trim()) : [];
    this.statusBar = statusBar !== false;
    this.changed.emit();
  }
}
