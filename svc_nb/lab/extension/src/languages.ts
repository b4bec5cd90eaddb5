/** Languages: their names, and which ones were used recently. */

import type { IStateDB } from '@jupyterlab/statedb';
import { Signal } from '@lumino/signaling';

const KEY = 'svc-nb:languages';
const RECENT = 3;

/** The name of a language, or its code if it has none: `language('PT-BR')` is "Brazilian Portuguese". A name stays. */
export function language(code: string): string {
  return CODE.test(code) ? NAMES.of(code) || code : code;
}

const CODE = /^[a-z]{2,3}(-([a-z]{4}|[a-z]{2}|[0-9]{3}))*$/i;

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** The most recent target languages, the latest first; kept with the workspace. */
export class RecentLanguages {
  constructor(state: IStateDB | null) {
    this._state = state;
    void this._load();
  }

  readonly changed = new Signal<this, void>(this);

  get codes(): readonly string[] {
    return this._codes;
  }

  use(code: string): void {
    this._codes = [code, ...this._codes.filter(each => each !== code)].slice(0, RECENT);
    this.changed.emit();
    void this._state?.save(KEY, this._codes);
  }

  private async _load(): Promise<void> {
    const kept = await this._state?.fetch(KEY);
    if (Array.isArray(kept) && !this._codes.length) {
      this._codes = kept.filter((code): code is string => typeof code === 'string').slice(0, RECENT);
      this.changed.emit();
    }
  }

  private readonly _state: IStateDB | null;
  private _codes: string[] = [];
}
