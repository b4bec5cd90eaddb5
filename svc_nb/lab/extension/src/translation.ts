/** Cells translated in place. */

import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import type { ITranslated } from './answers';
import { ask, call } from './kernel';
import { language } from './languages';
import { type End, failure, Notice, tell } from './notice';
import { counted } from './numbers';
import { withTranslator } from './translator';
import { replaceSources } from './undo';

const AWHILE = 8000; // milliseconds
const KINDS = ['markdown', 'code'];
const NOTHING = 'Nothing to translate: choose a Markdown or code cell with text that may be edited.';

interface IDone {
  before: string;
  answer: ITranslated;
}

type Done = Map<ICellModel, IDone>;

/** Translate the selected cells of *notebook*; a notification tells how it goes, and what it cost. */
export async function translateCells(notebook: NotebookPanel, target: string): Promise<void> {
  const cells = chosen(notebook);
  const done: Done = new Map();
  if (!cells.length) {
    tell({ type: 'warning', message: NOTHING, autoClose: AWHILE });
    return;
  }
  const notice = new Notice(`Translating ${what(cells.length, target)} …`);
  try {
    await withTranslator(notebook, line => translate(line, cells, { target, done }));
    await notice.end(told(done, target));
  } catch (error) {
    await notice.end(toldOf(error, done, target));
  }
}

/** The cells that are selected, can be translated and are not empty. */
function chosen({ content }: NotebookPanel): ICellModel[] {
  return content.widgets
    .filter(cell => content.isSelectedOrActive(cell))
    .map(cell => cell.model)
    .filter(model => KINDS.includes(model.type) && model.getMetadata('editable') !== false)
    .filter(model => model.sharedModel.getSource().trim());
}

/** One cell after the other: where one fails, those before are *done*, and none is sent after it. */
async function translate(
  line: Kernel.IKernelConnection,
  cells: ICellModel[],
  { target, done }: { target: string; done: Done }
): Promise<void> {
  for (const cell of cells) {
    const before = cell.sharedModel.getSource();
    const question = call('translate_cell', before, cell.type, target);
    done.set(cell, { before, answer: await ask<ITranslated>(line, question) });
  }
}

/** Put the translations in; a cell that was edited meanwhile stays as it is. Returns what was there before. */
function put(done: Done): Map<ICellModel, string> {
  const sources = new Map<ICellModel, string>();
  for (const [cell, { before, answer }] of done) {
    if (cell.isDisposed || cell.sharedModel.getSource() !== before) {
      answer.notes.push('A cell was changed meanwhile, and stays as it is.');
    } else if (answer.text !== before) {
      sources.set(cell, answer.text);
    }
  }
  replaceSources(sources);
  return new Map([...sources.keys()].map(cell => [cell, done.get(cell)?.before ?? '']));
}

/** Put the translations in, and say so; the notification offers the way back. */
function told(done: Done, target: string): End {
  const before = put(done);
  const answers = [...done.values()].map(({ answer }) => answer);
  const characters = answers.reduce((sum, answer) => sum + answer.characters, 0);
  const notes = [...new Set(answers.flatMap(answer => answer.notes))];
  const undo = { label: 'Undo', callback: () => takeBack(done, before) };
  return {
    type: notes.length ? 'warning' : before.size ? 'success' : 'info',
    message: [outcome(before.size, characters, target), ...notes].join(' '),
    actions: before.size ? [undo] : [],
    autoClose: notes.length ? false : AWHILE
  };
}

function outcome(cells: number, characters: number, target: string): string {
  const costs = characters ? `${counted(characters, 'character')} billed` : 'nothing was billed';
  const unchanged = characters ? 'The text stays the same in' : 'Nothing to translate into';
  return `${cells ? `Translated ${what(cells, target)}` : `${unchanged} ${language(target)}`}: ${costs}.`;
}

/** As `told`, where an *error* came after what is done. */
function toldOf(error: unknown, done: Done, target: string): End {
  const end = failure(error);
  if (!done.size) {
    return end;
  }
  const { message, actions } = told(done, target);
  return { ...end, message: `${end.message} Before that: ${message}`, actions };
}

/** Bring back the sources of cells that still have their translation. */
function takeBack(done: Done, before: Map<ICellModel, string>): void {
  const still = [...before].filter(
    ([cell]) => !cell.isDisposed && cell.sharedModel.getSource() === done.get(cell)?.answer.text
  );
  replaceSources(new Map(still));
}

function what(cells: number, target: string): string {
  return `${counted(cells, 'cell')} into ${language(target)}`;
}
