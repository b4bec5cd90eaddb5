/** Communication with a kernel that leaves no trace in it: no name, no history, no execution count. */

import type { Kernel } from '@jupyterlab/services';

import { type IFailure, type IStatus, UNKNOWN } from './answers';

type Connection = Kernel.IKernelConnection;

/** The Python expression that calls a function of `svc_nb.lab`; a JSON string is a valid Python string. */
export function call(name: string, ...texts: string[]): string {
  return `__import__('svc_nb.lab').lab.${name}(${texts.map(text => JSON.stringify(text)).join(', ')})`;
}

/** An error reported by a kernel; other errors mean that it did not answer. */
export class Failure extends Error {}

/** Evaluate an *expression* that returns JSON; throws the error that it reports. */
export async function ask<T extends object>(kernel: Connection, expression: string): Promise<T> {
  const answer = `__import__('IPython').display.JSON(__import__('json').loads(${expression}))`;
  const reply = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { answer }
  }).done;
  const found = value<T>(reply.content as IEvaluated);
  if ('error' in found) {
    throw new Failure(found.error);
  }
  return found;
}

/**
 * Do what asks a kernel, at once also while a cell runs, where the kernel can do two things at a time; else when it is
 * done. Who was asked aside once is asked aside from then on: JupyterLab takes the answer for the end of the cell.
 */
export async function aside<T>(kernel: Connection, deed: (line: Connection) => Promise<T>): Promise<T> {
  const line = kernel.status === 'idle' && !ASIDE.has(kernel) ? null : await secondLine(kernel);
  try {
    return await deed(line ?? kernel);
  } finally {
    line?.dispose();
  }
}

const ASIDE = new WeakSet<Connection>();

/** The state of svc_nb in a kernel; it is not imported if it is not used. */
export async function standing(kernel: Connection): Promise<IStatus> {
  return aside(kernel, line => standingOn(kernel, line));
}

/** As `standing`, over an existing *line*. */
export async function standingOn(kernel: Connection, line: Connection): Promise<IStatus> {
  const { language_info: language } = await kernel.info;
  if (language.name !== 'python') {
    return { ...UNKNOWN, presence: 'foreign' };
  }
  try {
    return { ...UNKNOWN, presence: 'used', ...(await ask<Partial<IStatus>>(line, STANDING)) };
  } catch {
    return { ...UNKNOWN, presence: 'missing' }; // a version too old for the extension
  }
}

const STANDING = `(${call('status')} if 'svc_nb' in __import__('sys').modules
  else '{"presence": "there"}' if __import__('importlib.util').util.find_spec('svc_nb')
  else '{"presence": "missing"}')`.replace(/\s*\n\s*/g, ' ');

interface IEvaluated {
  status?: string;
  ename?: string;
  evalue?: string;
  user_expressions?: Record<string, IEvaluated | undefined>;
  data?: { 'application/json'?: unknown };
}

function value<T>(content: IEvaluated): T | IFailure {
  const answer = content.user_expressions?.answer;
  if (answer?.status !== 'ok') {
    const { ename, evalue } = answer ?? content;
    return { error: ename ? `${ename}: ${evalue ?? ''}` : 'The kernel gave no answer.' };
  }
  return answer.data?.['application/json'] as T;
}

/** A second line to the same kernel that answers while a cell runs; null if the kernel has none. */
async function secondLine(kernel: Connection): Promise<Connection | null> {
  await kernel.info;
  if (!kernel.supportsSubshells) {
    return null;
  }
  const { content } = await kernel.requestCreateSubshell({}).done;
  ASIDE.add(kernel);
  const line = kernel.clone({ handleComms: false });
  line.subshellId = content.subshell_id;
  line.disposed.connect(() => {
    if (!kernel.isDisposed) {
      kernel.requestDeleteSubshell({ subshell_id: content.subshell_id });
    }
  });
  return line;
}
