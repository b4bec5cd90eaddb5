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

interface IWork {
  notebook: NotebookPanel;
  target: string;
  done: Done;
}

/**
 * Translate the selected cells of *notebook*; a notification shows the progress and the cost. Returns the code of
 * the language if there was something to translate.
 */
export async function translateCells(notebook: NotebookPanel, target: string): Promise<string | undefined> {
  const cells = chosen(notebook);
  const work: IWork = { notebook, target, done: new Map() };
  if (!cells.length) {
    tell({ type: 'warning', message: NOTHING, autoClose: AWHILE });
    return undefined;
  }
  const notice = new Notice(`Translating ${what(cells.length, target)} …`);
  try {
    await withTranslator(notebook, line => translate(line, cells, work));
    await notice.end(told(work));
  } catch (error) {
    await notice.end(toldOf(error, work));
  }
  return [...work.done.values()][0]?.answer.target;
}

/** The cells that are selected, can be translated and are not empty. */
function chosen({ content }: NotebookPanel): ICellModel[] {
  return content.widgets
    .filter(cell => content.isSelectedOrActive(cell))
    .map(cell => cell.model)
    .filter(model => KINDS.includes(model.type) && model.getMetadata('editable') !== false)
    .filter(model => model.sharedModel.getSource().trim());
}

/** One cell after the other: if one fails, earlier ones are *done*, and no more are sent. */
async function translate(
  line: Kernel.IKernelConnection,
  cells: ICellModel[],
  { target, done }: IWork
): Promise<void> {
  for (const cell of cells) {
    const before = cell.sharedModel.getSource();
    const question = call('translate_cell', before, cell.type, target);
    done.set(cell, { before, answer: await ask<ITranslated>(line, question) });
  }
}

/** Insert the translations; a cell edited in the meantime stays as it is. Returns the previous sources. */
function put(done: Done): Map<ICellModel, string> {
  const sources = new Map<ICellModel, string>();
  for (const [cell, { before, answer }] of done) {
    if (cell.isDisposed || cell.sharedModel.getSource() !== before) {
      answer.notes.push('A cell was edited in the meantime and was left unchanged.');
    } else if (answer.text !== before) {
      sources.set(cell, answer.text);
    }
  }
  replaceSources(sources);
  return new Map([...sources.keys()].map(cell => [cell, done.get(cell)?.before ?? '']));
}

/** Insert the translations, and say so; the notification offers to undo. */
function told({ notebook, done, target }: IWork): End {
  const before = put(done);
  const answers = [...done.values()].map(({ answer }) => answer);
  const notes = [...new Set(answers.flatMap(answer => answer.notes))];
  const said =
    before.size || !answers.some(({ untranslated }) => untranslated)
      ? [outcome(before.size, answers, target), ...sameLanguage(before.size, done), ...notes]
      : [...notes, billed(charactersOf(answers))];
  const undo = {
    label: 'Undo',
    callback: () => {
      takeBack(done, before);
      if (notebook.isVisible) {
        notebook.content.activate(); // the notification disappears, and the focus with it
      }
    }
  };
  return {
    type: notes.length ? 'warning' : before.size ? 'success' : 'info',
    message: said.join(' '),
    actions: before.size ? [undo] : [],
    autoClose: notes.length ? false : AWHILE
  };
}

function billed(characters: number): string {
  return `${characters ? counted(characters, 'character') : 'Nothing'} ${characters > 1 ? 'were' : 'was'} billed.`;
}

function outcome(cells: number, answers: ITranslated[], target: string): string {
  const characters = charactersOf(answers);
  const written = answers.find(({ already }) => already)?.target;
  if (!cells && !characters && written) {
    return `Already in ${baseLanguage(written)}: nothing translated, nothing billed.`;
  }
  const costs = characters ? `${counted(characters, 'character')} billed` : 'nothing was billed';
  const unchanged = characters ? 'The text stays the same in' : 'Nothing to translate into';
  return `${cells ? `Translated ${what(cells, target)}` : `${unchanged} ${language(target)}`}: ${costs}.`;
}

/** Cells left unchanged beside *translated* ones, because they are already in the language. */
function sameLanguage(translated: number, done: Done): string[] {
  const same = [...done.values()].filter(({ before, answer }) => answer.already && answer.text === before);
  const cells = `${counted(same.length, 'cell')} ${same.length === 1 ? 'is' : 'are'}`;
  return translated && same.length ? [`${cells} already in ${baseLanguage(same[0].answer.target)}.`] : [];
}

/** Detection finds English, not American English. */
function baseLanguage(code: string): string {
  return language(code.split('-')[0]);
}

function charactersOf(answers: ITranslated[]): number {
  return answers.reduce((sum, { characters }) => sum + characters, 0);
}

/** As `told`, if an *error* occurred after some cells were done. */
function toldOf(error: unknown, work: IWork): End {
  const end = failure(error);
  if (!work.done.size) {
    return end;
  }
  const { message, actions } = told(work);
  return { ...end, message: `${end.message} Before that: ${message}`, actions };
}

/** Restore the sources of cells that still have their translation. */
function takeBack(done: Done, before: Map<ICellModel, string>): void {
  const still = [...before].filter(
    ([cell]) => !cell.isDisposed && cell.sharedModel.getSource() === done.get(cell)?.answer.text
  );
  replaceSources(new Map(still));
}

function what(cells: number, target: string): string {
  return `${counted(cells, 'cell')} into ${language(target)}`;
}
