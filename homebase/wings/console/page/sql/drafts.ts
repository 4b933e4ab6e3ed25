/** Owns what this browser tab keeps of SQL: texts that are not saved, and the history. Both end with the tab. */

/** A text that is edited, with the version of the file that it began from. */
export interface Draft {
  text: string;
  version?: string;
  /** What the file has: the draft is the same until it is edited. */
  saved: string;
}

const DRAFT = "sql-draft:";
const HISTORY = "sql-history";
const MOST_KEPT = 50;

export function draftOf(name: string): Draft | undefined {
  const kept = sessionStorage.getItem(DRAFT + name);
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

/** @param draft undefined removes it */
export function keepDraft(name: string, draft: Draft | undefined): void {
  if (draft) sessionStorage.setItem(DRAFT + name, JSON.stringify(draft));
  else sessionStorage.removeItem(DRAFT + name);
}

/** The texts that were run, the last first. */
export function textsRun(): string[] {
  return JSON.parse(sessionStorage.getItem(HISTORY) ?? "[]") as string[];
}

export function keepRun(text: string): void {
  const texts = [text, ...textsRun().filter((one) => one !== text)].slice(0, MOST_KEPT);
  sessionStorage.setItem(HISTORY, JSON.stringify(texts));
}
