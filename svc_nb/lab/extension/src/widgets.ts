/** Whether Jupyter can draw widgets. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

const VIEW = 'application/vnd.jupyter.widget-view+json';
const PATIENCE = 10_000; // milliseconds

/** Wait until *own* draws widgets itself; before that, *general* inserts something that says "Loading" forever. */
export async function managed(own: IRenderMimeRegistry, general: IRenderMimeRegistry): Promise<void> {
  const placeholder = general.getFactory(VIEW);
  await until(() => own.getFactory(VIEW) !== placeholder);
}

/** Wait for something that has no event, but not forever. */
export async function until(come: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!come() && Date.now() < end) {
    await new Promise(done => setTimeout(done, 20));
  }
}
