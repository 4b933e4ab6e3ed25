/**
 * Owns: what counts as a text, for every form. The database holds the same rule (private.is_text): characters
 * are counted as people do, one for each code point, and the blanks around a text are no part of it.
 */
import * as z from "zod/mini";

interface TextRule {
  min: number;
  max: number;
  /** Said of one that is too short, and of one with signs that are none; asked for when it is needed. */
  missing?: () => string;
  long: () => string;
}

/** The schema of a text: gives it without the blanks around it. */
export function text({ min, max, missing, long }: TextRule) {
  const count = (value: string) => [...value].length;
  return z.string().check(
    z.trim(),
    // Half a character, or the sign that no database text can hold: nobody types those, programs do.
    z.refine((value) => value.isWellFormed() && !value.includes("\0"), { error: missing ?? long }),
    z.refine((value) => count(value) >= min, { error: missing ?? long }),
    z.refine((value) => count(value) <= max, { error: long }),
  );
}
