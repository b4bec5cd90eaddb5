/** The sources of cells replaced in one step of undo. */

import type { ICellModel } from '@jupyterlab/cells';

/** The internal part of the shared models. */
interface IUndoing {
  undoManager?: { stopCapturing(): void } | null;
}

/**
 * Give cells new sources. One Ctrl-Z in a cell, or Undo in the menu, brings its old source back, and leaves what was
 * typed before. The key z stays what it is for texts that are typed: it undoes what was done with cells, not in them.
 */
export function replaceSources(sources: Map<ICellModel, string>): void {
  const managers = new Set([...sources.keys()].map(cell => (cell.sharedModel as IUndoing).undoManager));
  managers.forEach(manager => manager?.stopCapturing());
  sources.forEach((source, cell) => cell.sharedModel.setSource(source));
  managers.forEach(manager => manager?.stopCapturing());
}
