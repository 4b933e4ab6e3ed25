/** Owns the project's list of what no test can decide or notice, with the reason for each: `supabase/untested.txt`. */
import { UserError } from "../core/user-error.ts";

/** A part decides something when it is true for one row or call, and false for another. */
export type Wanted = "true" | "false";

/** A verdict that a part cannot have. */
export interface UntestedVerdict {
  id: string;
  verdict: Wanted;
  reason: string;
}

/** A change that makes no difference. */
export interface UntestedChange {
  id: string;
  reason: string;
}

export interface Untested {
  verdicts: UntestedVerdict[];
  changes: UntestedChange[];
}

export const NOTHING: Untested = { verdicts: [], changes: [] };

/** The list is wrong. */
export class UntestedError extends UserError {}

const VERDICT = /^(?<id>\S.*?) (?<verdict>true|false): *(?<reason>\S.*)$/;
const CHANGE = /^(?<id>\S.*?\/(?:out|not|removed|revoked)): *(?<reason>\S.*)$/;

/** @throws UntestedError with the line's number. */
export function readUntested(text: string): Untested {
  const verdicts: UntestedVerdict[] = [];
  const changes: UntestedChange[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const change = CHANGE.exec(line.trim())?.groups;
    const { id = "", verdict, reason = "" } = change ?? VERDICT.exec(line.trim())?.groups ?? {};
    if (id === "") {
      throw new UntestedError(
        `Line ${at + 1} is neither "<part> true|false: <reason>" nor "<change>: <reason>".`,
      );
    }
    if (change) changes.push({ id, reason });
    else verdicts.push({ id, verdict: verdict as Wanted, reason });
  }
  return { verdicts, changes };
}
