/** What the functions of `svc_nb.lab` answer. */

export interface IFailure {
  error: string;
}

/** How svc_nb stands in a kernel: used, installed, not installed; the kernel is not Python's; or there is none. */
export type Presence = 'used' | 'there' | 'missing' | 'foreign' | 'none';

export interface IStatus {
  presence: Presence;
  connected: boolean;
  /** What all runs of the kernel were billed since it started. */
  characters: number;
  embedded?: boolean;
  address?: string;
}

export interface IQuota {
  of: 'key' | 'plan';
  used: number;
  /** Null is unlimited. */
  limit: number | null;
  until: string | null;
}

export interface IGlossary {
  id: string;
  name: string;
  pairs: [string, string][];
  terms: number;
}

export interface IAccount {
  /** The service takes its time: ask again. */
  asking?: boolean;
  quota?: IQuota;
  glossaries?: IGlossary[];
}

export interface ITranslated {
  text: string;
  characters: number;
  /** What a person should know besides, a line each. */
  notes: string[];
}

export const UNKNOWN: IStatus = { presence: 'none', connected: false, characters: 0 };
