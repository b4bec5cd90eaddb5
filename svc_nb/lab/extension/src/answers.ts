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
  /** Which of the sessions of the kernel it is. */
  session?: number;
  embedded?: boolean;
  /** The service as a person knows it. */
  title?: string;
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
  /** Whose account it is. */
  session?: number;
  quota?: IQuota;
  glossaries?: IGlossary[];
}

/** Whose account a panel shows, or would show. */
export interface IWhose {
  /** The same for the same account; no key is in it. */
  account: string;
  name: string;
  /** The name in a word, for a tab. */
  short: string;
  connected: boolean;
  /** The kernel still has the panel that the tab showed. */
  shown: boolean;
}

/** What a panel has that was not sent, and would be lost with its kernel. */
export interface IUnsent {
  /** In words; empty where nothing is. */
  unsent: string;
  /** What `svc_nb.lab.show` takes to have it written again. */
  draft: string;
}

export interface ILanguage {
  code: string;
  name: string;
}

export interface ITranslated {
  text: string;
  /** The code of the language that was asked for. */
  target: string;
  characters: number;
  /** Nothing could be translated, and the notes say why: the text is the source. */
  untranslated: boolean;
  /** The text is in the language. */
  already: boolean;
  /** What a person should know besides, a line each. */
  notes: string[];
}

export const UNKNOWN: IStatus = { presence: 'none', connected: false, characters: 0 };
