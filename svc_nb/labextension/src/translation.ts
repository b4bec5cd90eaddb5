/** Cells translated in place. */

import { Notification } from '@jupyterlab/apputils';
import type { ICellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import type { ITranslated } from './answers';
import { aside, ask, call, standingOn } from './kernel';
import { language } from './languages';
import { type End, Notice } from './notice';
import { counted } from './numbers';
import { replaceSources } from './undo';

const AWHILE = 8000; // milliseconds
const KINDS = ['markdown', 'code'];

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
    Notification.warning('Choose a Markdown or code cell that may be edited.');
    return;
  }
  const notice = new Notice(`Translating ${what(cells.length, target)} …`);
  try {
    const kernel = kernelOf(notebook);
    await aside(kernel, async line => {
      await check(kernel, line);
      await translate(line, cells, { target, done });
    });
    await notice.end(told(notebook, done, target));
  } catch (error) {
    put(notebook, done);
    const message = error instanceof Error ? error.message : String(error);
    await notice.end({ type: 'error', message, autoClose: false });
  }
}

/** The cells that are selected and can be translated. */
function chosen({ content }: NotebookPanel): ICellModel[] {
  return content.widgets
    .filter(cell => content.isSelectedOrActive(cell))
    .map(cell => cell.model)
    .filter(model => KINDS.includes(model.type) && model.getMetadata('editable') !== false);
}

function kernelOf({ sessionContext }: NotebookPanel): Kernel.IKernelConnection {
  const kernel = sessionContext.session?.kernel;
  if (!kernel) {
    throw new Error('The notebook has no kernel: start one, and try again.');
  }
  return kernel;
}

/** Whether the kernel can translate; what it lacks is thrown. */
async function check(kernel: Kernel.IKernelConnection, line: Kernel.IKernelConnection): Promise<void> {
  const { presence } = await standingOn(kernel, line);
  if (presence === 'none') {
    throw new Error('svc_nb is in Python: this notebook has a kernel of another language.');
  }
  if (presence === 'missing') {
    throw new Error('The kernel has no svc_nb: run  %pip install svc-nb  in a cell, and try again.');
  }
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
function put(notebook: NotebookPanel, done: Done): Map<ICellModel, string> {
  const sources = new Map<ICellModel, string>();
  for (const [cell, { before, answer }] of done) {
    if (cell.isDisposed || cell.sharedModel.getSource() !== before) {
      answer.notes.push('A cell was changed meanwhile, and stays as it is.');
    } else if (answer.text !== before) {
      sources.set(cell, answer.text);
    }
  }
  exchange(notebook, sources);
  return new Map([...sources.keys()].map(cell => [cell, done.get(cell)?.before ?? '']));
}

function exchange({ content }: NotebookPanel, sources: Map<ICellModel, string>): void {
  if (content.model && sources.size) {
    replaceSources(content.model, sources);
  }
}

/** Put the translations in, and say so; the notification offers the way back. */
function told(notebook: NotebookPanel, done: Done, target: string): End {
  const before = put(notebook, done);
  const answers = [...done.values()].map(({ answer }) => answer);
  const characters = answers.reduce((sum, answer) => sum + answer.characters, 0);
  const costs = characters ? `${counted(characters, 'character')} billed` : 'nothing was billed';
  const notes = [...new Set(answers.flatMap(answer => answer.notes))];
  const undo = { label: 'Undo', callback: () => takeBack(notebook, done, before) };
  return {
    type: notes.length ? 'warning' : 'success',
    message: [`Translated ${what(done.size, target)}: ${costs}.`, ...notes].join(' '),
    actions: before.size ? [undo] : [],
    autoClose: notes.length ? false : AWHILE
  };
}

/** Bring back the sources of cells that still have their translation. */
function takeBack(notebook: NotebookPanel, done: Done, before: Map<ICellModel, string>): void {
  const still = [...before].filter(
    ([cell]) => !cell.isDisposed && cell.sharedModel.getSource() === done.get(cell)?.answer.text
  );
  exchange(notebook, new Map(still));
}

function what(cells: number, target: string): string {
  return `${counted(cells, 'cell')} into ${language(target)}`;
}
