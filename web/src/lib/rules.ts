/**
 * Owns: the validity of a text, a whole number and a time zone, for every form. The database has the same
 * rules (private.is_text, private.is_time_zone): length counts code points, without surrounding blanks.
 */
import * as z from "zod/mini";

interface TextRule {
  min: number;
  max: number;
  /**
   * The message for a text that is too short or has unstorable characters; a function, because the language
   * may change.
   */
  missing?: () => string;
  long: () => string;
  /** The message for a line break, and for marks that turn the direction of the text around; both are accepted without. */
  oneLine?: () => string;
}

/**
 * Invisible characters that trim() keeps: joiners, direction marks, fillers. A required text must have others
 * too.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Line breaks, and what makes the text around it run the other way. U+200E and U+200F are not among them: Arabic and
 * Hebrew names need them (private.one_line has the same list).
 */
const notOfOneLine = /[\n\v\f\r\u0085\u2028-\u202e\u2066-\u2069]/;

/** The schema of a text; its result is trimmed. */
export function text({ min, max, missing, long, oneLine }: TextRule) {
  const count = (value: string) => [...value].length;
  return z.string().check(
    z.trim(),
    // A lone surrogate, or NUL, which Postgres cannot store: only programs send them.
    z.refine((value) => value.isWellFormed() && !value.includes("\0"), { error: missing ?? long }),
    z.refine((value) => count(value) >= min && (min === 0 || /\S/.test(value.replace(invisible, ""))), {
      error: missing ?? long,
    }),
    z.refine((value) => count(value) <= max, { error: long }),
    z.refine((value) => !oneLine || !notOfOneLine.test(value), { error: oneLine ?? long }),
  );
}

/** Why the rule refuses the value, in words; undefined for a good one. */
export function problemWith(rule: z.ZodMiniType, value: unknown): string | undefined {
  return rule.safeParse(value).error?.issues[0]?.message;
}

/** The schema of a whole number in a range. */
export function whole(min: number, max: number) {
  return z.int().check(z.minimum(min), z.maximum(max));
}

/**
 * A zone that this browser and the database both know: an area and a city, or one of the few names of one
 * word. Tested by using it: the browser's list has only one name of each zone ("Asia/Katmandu"), but it
 * accepts the others too.
 */
export function isZone(zone: string): boolean {
  if (
    !/^([A-Za-z_]+(\/[A-Za-z0-9_+-]+)+|UTC|GMT|CET|EET|MET|WET|EST|HST|MST|EST5EDT|CST6CDT|MST7MDT|PST8PDT)$/.test(
      zone,
    )
  ) {
    return false;
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
