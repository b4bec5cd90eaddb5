/** The kernel of a notebook as a translator. */

import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

import type { Presence } from './answers';
import { aside, standingOn } from './kernel';

export const FOREIGN = 'svc_nb needs a Python kernel. This notebook uses another language.';

const LACKS: Partial<Record<Presence, string>> = {
  none: 'The kernel does not answer: restart it, and try again.',
  foreign: FOREIGN,
  missing: 'The kernel has no svc_nb: run  %pip install svc-nb  in a cell, and try again.'
};

/** Do something with the kernel of *notebook*, which must be able to translate; throws what is missing for that. */
export async function withTranslator<T>(
  notebook: NotebookPanel,
  deed: (line: Kernel.IKernelConnection) => Promise<T>
): Promise<T> {
  const kernel = notebook.sessionContext.session?.kernel;
  if (!kernel) {
    throw new Error('The notebook has no kernel: start one, and try again.');
  }
  return aside(kernel, async line => {
    const lack = LACKS[(await standingOn(kernel, line)).presence];
    if (lack) {
      throw new Error(lack);
    }
    return deed(line);
  });
}
