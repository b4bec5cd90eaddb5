/** Notifications: of events, and of work in progress, which are updated when it ends. */

import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { ReadonlyJSONValue } from '@lumino/coreutils';

const MOMENT = 500; // milliseconds
const LONGEST = 140; // characters that JupyterLab shows of a message

export type End = Omit<Notification.IUpdate<ReadonlyJSONValue>, 'id'> & { message: string };

/** An error; it stays until it is closed. */
export function failure(error: unknown): End {
  return { type: 'error', message: error instanceof Error ? error.message : String(error), autoClose: false };
}

/** Notify of *end*; a message too long for a notification can be opened in full. */
export function tell(end: End): void {
  const { message, type, ...rest } = readable(end);
  keep(end, Notification.emit(message, type ?? 'default', rest));
}

/** A notification that stays until closed replaces the previous one of its kind, unless that one offers an undo. */
function keep({ type = 'default', autoClose, actions = [] }: End, id: string): void {
  if (autoClose === false) {
    const before = STAYING.get(type);
    if (before) {
      Notification.dismiss(before);
    }
    STAYING.delete(type);
    if (!actions.length) {
      STAYING.set(type, id);
    }
  }
}

const STAYING = new Map<Notification.TypeOptions, string>();

function readable(end: End): End {
  const { message, actions = [] } = end;
  const read = () => showDialog({ title: 'Translation', body: message, buttons: [Dialog.okButton({ label: 'Close' })] });
  const details = { label: 'Details', callback: () => void read() };
  return message.length > LONGEST ? { ...end, actions: [...actions, details] } : end;
}

/** Work that ends within a moment is reported once; JupyterLab loses an update right after the first notification. */
export class Notice {
  constructor(message: string) {
    this._shown = pause(MOMENT).then(() =>
      this._ended ? null : Notification.emit(message, 'in-progress', { autoClose: false })
    );
  }

  async end(end: End): Promise<void> {
    this._ended = true;
    const id = await Promise.race([this._shown, pause(0).then(() => null)]);
    if (id) {
      await this._settled;
      Notification.update({ id, ...readable(end) });
      keep(end, id);
    } else {
      tell(end);
    }
  }

  private _ended = false;
  private readonly _shown: Promise<string | null>;
  private readonly _settled = pause(2 * MOMENT);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}
