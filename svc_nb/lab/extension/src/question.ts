/** A line in the place of a panel, with buttons where a person has to choose. */

import { Widget } from '@lumino/widgets';

export class Question extends Widget {
  constructor() {
    super();
    this.addClass('svc-lab-question');
    this._text.setAttribute('role', 'status');
    this.node.append(this._text, this._answers);
    this.hide();
  }

  /** Say *text*, and offer *answers*, each by what its button says, the first one foremost; an empty text is nothing. */
  say(text: string, answers: Record<string, () => void> = {}): void {
    const { activeElement } = document;
    const focused = this.node.contains(activeElement) || activeElement === this.parent?.node;
    this._text.textContent = text;
    this._answers.replaceChildren(...Object.entries(answers).map(button));
    this.setHidden(!text);
    if (focused) {
      (this._answers.querySelector('button') ?? this.parent?.node)?.focus();
    }
  }

  /** Say *text* while *deed* is done; what goes wrong is said, too, and the deed can be tried again. */
  async during(text: string, deed: () => Promise<void>): Promise<void> {
    this.say(text);
    try {
      await deed();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.say(problem, { 'Try again': () => void this.during(text, deed) });
    }
  }

  private readonly _text = document.createElement('p');
  private readonly _answers = document.createElement('div');
}

function button([name, chosen]: [string, () => void], index: number): HTMLButtonElement {
  const made = document.createElement('button');
  made.className = `jp-mod-styled ${index ? 'jp-mod-reject' : 'jp-mod-accept'}`;
  made.textContent = name;
  made.addEventListener('click', chosen);
  return made;
}
