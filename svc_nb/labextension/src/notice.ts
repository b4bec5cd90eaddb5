/** A notification of work under way, which becomes that of its end. */

import { Notification } from '@jupyterlab/apputils';
import type { ReadonlyJSONValue } from '@lumino/coreutils';

const MOMENT = 500; // milliseconds

export type End = Omit<Notification.IUpdate<ReadonlyJSONValue>, 'id'> & { message: string };

/** Work that is done within a moment is told of once; JupyterLab loses a change that comes right after the first. */
export class Notice {
  constructor(message: string) {
    this._shown = pause(MOMENT).then(() =>
      this._ended ? null : Notification.emit(message, 'in-progress', { autoClose: false })
    );
  }

  async end({ message, type, ...rest }: End): Promise<void> {
    this._ended = true;
    const first = await Promise.race([this._shown, pause(0).then(() => null)]);
    if (first) {
      await this._settled;
      Notification.update({ id: first, message, type, ...rest });
    } else {
      Notification.emit(message, type ?? 'default', rest);
    }
  }

  private _ended = false;
  private readonly _shown: Promise<string | null>;
  private readonly _settled = pause(2 * MOMENT);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}
