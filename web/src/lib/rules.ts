/**
 * Owns: what counts as a text, for every form. The database holds the same rule (private.is_text): characters
 * are counted as people do, one for each code point, and the blanks around a text are no part of it.
 */
import * as z from "zod/mini";

interface TextRule {
  min: number;
  max: number;
  /** The message for a text that is too short or has unstorable characters; a function, as the language may change. */
  missing?: () => string;
  long: () => string;
}

/** The schema of a text: gives it without the blanks around it. */
export function text({ min, max, missing, long }: TextRule) {
  const count = (value: string) => [...value].length;
  return z.string().check(
    z.trim(),
    // A lone surrogate, or NUL, which Postgres cannot store: only programs send them.
    z.refine((value) => value.isWellFormed() && !value.includes("\0"), { error: missing ?? long }),
    z.refine((value) => count(value) >= min, { error: missing ?? long }),
    z.refine((value) => count(value) <= max, { error: long }),
  );
}
