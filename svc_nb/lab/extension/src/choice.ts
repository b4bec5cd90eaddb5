/** The choice among all languages of the service: typing selects the best match. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import type { ILanguage } from './answers';
import { language } from './languages';

/** Let the user choose one of *languages*, preferring those with *recent* codes; returns its code, or null. */
export async function chooseLanguage(
  title: string,
  languages: ILanguage[],
  recent: readonly string[]
): Promise<string | null> {
  const { value } = await showDialog({
    title,
    body: new LanguageChoice(languages, recent),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Translate' })],
    focusNodeSelector: 'input'
  });
  return value;
}

interface INamed {
  code: string;
  names: string[];
}

/** A text field, and below it the languages with the text in their names or codes. */
class LanguageChoice extends Widget implements Dialog.IBodyWidget<string | null> {
  constructor(languages: ILanguage[], recent: readonly string[]) {
    super();
    this._recent = recent;
    this.addClass('svc-lab-choice');
    this._languages = languages
      .map(({ code, name }) => {
        const shown = language(code) === code ? name : language(code);
        return { code, names: [`${shown} (${code})`, shown, name, code] };
      })
      .sort((one, other) => Number(isNameless(one)) - Number(isNameless(other)) || one.names[0].localeCompare(other.names[0], 'en'));
    this._input.className = 'jp-mod-styled';
    this._input.placeholder = 'Name or code of a language';
    this._input.setAttribute('aria-label', 'Language');
    this._list.setAttribute('aria-label', 'Languages');
    this._list.size = 8;
    this._problem.setAttribute('role', 'status');
    this.node.append(this._input, this._list, this._problem);
    this._fill();
  }

  getValue(): string | null {
    return this._fitting[this._list.selectedIndex]?.code ?? null;
  }

  handleEvent({ target }: Event): void {
    if (target === this._list) {
      this._input.value = this._list.value;
    } else {
      this._fill();
    }
    const unknown = this.getValue() === null;
    this._input.setCustomValidity(unknown ? 'Choose a language from the list.' : '');
    this._problem.textContent = this._list.length ? '' : `Unknown language “${this._input.value.trim()}”.`;
  }

  /** Before the dialog, which listens on the document, checks whether its button can be pressed. */
  protected override onAfterAttach(): void {
    window.addEventListener('input', this, true);
    requestAnimationFrame(() => this._input.dispatchEvent(new Event('input', { bubbles: true })));
  }

  protected override onBeforeDetach(): void {
    window.removeEventListener('input', this, true);
  }

  /** List the matches, and select the best: an exact match, the latest used, one that begins so, or the first. */
  private _fill(): void {
    const given = folded(this._input.value);
    const named = (fits: (name: string) => boolean) => (each: INamed) => each.names.some(name => fits(folded(name)));
    this._fitting = this._languages.filter(named(name => name.includes(given)));
    this._list.replaceChildren(...this._fitting.map(({ names }) => new Option(names[0])));
    const best =
      this._fitting.find(named(name => name === given)) ??
      this._recent.map(code => this._fitting.find(each => each.code === code)).find(each => each) ??
      this._fitting.find(({ names }) => folded(names[0]).startsWith(given)) ??
      this._fitting[0];
    this._list.selectedIndex = given ? this._fitting.indexOf(best) : -1;
  }

  private readonly _languages: INamed[];
  private readonly _recent: readonly string[];
  private _fitting: INamed[] = [];
  private readonly _input = document.createElement('input');
  private readonly _list = document.createElement('select');
  private readonly _problem = document.createElement('p');
}

/** Neither the browser nor the service knows more than its code. */
function isNameless({ code, names }: INamed): boolean {
  return folded(names[1]) === folded(code);
}

function folded(name: string): string {
  return name.trim().toLowerCase();
}
