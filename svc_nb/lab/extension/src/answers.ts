/** The answers of the functions in `svc_nb.lab`. */

export interface IFailure {
  error: string;
}

/** The state of svc_nb in a kernel: used, installed, or not installed; the kernel is not Python; or there is none. */
export type Presence = 'used' | 'there' | 'missing' | 'foreign' | 'none';

export interface IStatus {
  presence: Presence;
  connected: boolean;
  /** What all runs of the kernel were billed since it started. */
  characters: number;
  /** The number of the session in the kernel. */
  session?: number;
  embedded?: boolean;
  /** The service, in words. */
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
  /** The service has not answered yet: ask again. */
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

/** The unsent changes of a panel, which would be lost with its kernel. */
export interface IUnsent {
  /** In words; empty if there are none. */
  unsent: string;
  /** The value that `svc_nb.lab.show` takes to restore them. */
  draft: string;
}

export interface ILanguage {
  code: string;
  name: string;
}

export interface ITranslated {
  text: string;
  /** The code of the requested language. */
  target: string;
  characters: number;
  /** Nothing could be translated, and the notes say why: the text is the source. */
  untranslated: boolean;
  /** The text is in the language. */
  already: boolean;
  /** More to tell the user, a line each. */
  notes: string[];
}

export const UNKNOWN: IStatus = { presence: 'none', connected: false, characters: 0 };
