/** A line instead of a panel, with buttons if the user has to choose. */

import { Widget } from '@lumino/widgets';

export class Question extends Widget {
  constructor() {
    super();
    this.addClass('svc-lab-question');
    this._text.setAttribute('role', 'status');
    this.node.append(this._text, this._answers);
    this.hide();
  }

  /** Show *text*, and offer *answers* by the labels of their buttons, the first as primary; an empty text hides it. */
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

  /** Show *text* while *deed* is done; errors are shown, too, with a button to retry. */
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
