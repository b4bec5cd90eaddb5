/** The sources of cells replaced in one step of undo. */

import type { ICellModel } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';

/** What the shared models have besides their public side. */
interface IUndoing {
  undoManager?: { stopCapturing(): void; trackedOrigins: Set<unknown> } | null;
}

/**
 * Give cells new sources. One Ctrl-Z in a cell, or Undo in the menu, brings its old source back, and leaves what was
 * typed before; in command mode the key z brings all of them back.
 */
export function replaceSources(notebook: INotebookModel, sources: Map<ICellModel, string>): void {
  const whole = notebook.sharedModel;
  const parts = [...sources.keys()].map(cell => cell.sharedModel);
  const managers = [whole, ...parts].map(part => (part as unknown as IUndoing).undoManager);
  const apart = () => managers.forEach(manager => manager?.stopCapturing());
  apart();
  managers.slice(1).forEach(manager => manager?.trackedOrigins.add(whole));
  whole.transact(() => sources.forEach((source, cell) => cell.sharedModel.setSource(source)));
  managers.slice(1).forEach(manager => manager?.trackedOrigins.delete(whole));
  apart();
}
