/** A tile in the launcher for each panel. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { ILauncher } from '@jupyterlab/launcher';

import { PANELS } from './panels';

export async function addTiles(app: JupyterFrontEnd, command: string, category: string): Promise<void> {
  const launcher = await app.resolveOptionalService(ILauncher);
  PANELS.forEach(({ name }, rank) => launcher?.add({ command, category, rank, args: { panel: name, inLauncher: true } }));
}
