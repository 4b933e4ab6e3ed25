/** Owns parsing JSON from clients: its maximum depth, and which text Postgres can store. */

/**
 * Maximum nesting depth: `JSON.stringify` and Postgres's own parser recurse, and overflow the stack at some
 * thousands of levels.
 */
const MAX_DEPTH = 1_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Rejected JSON; the message gives the reason. */
export class JsonRefused extends Error {
  override readonly name = "JsonRefused";
}

/** Parses JSON. @throws JsonRefused when it is invalid, or nested too deeply. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new JsonRefused("exceeded max depth");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonRefused(error instanceof Error ? error.message : "invalid character");
  }
}

/** Parses JSON whose text Postgres can store. @throws JsonRefused */
export function parseStorableJson(text: string): unknown {
  const value = parseJson(text);
  if (!isStorableValue(value)) {
    throw new JsonRefused("invalid character: a NUL, or half of a surrogate pair, in a string");
  }
  return value;
}

/** Whether Postgres can store a text: not with NUL, or an unpaired surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** Whether Postgres can store all strings and names of a JSON value. */
function isStorableValue(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === "string") {
      if (!isStorable(one)) return false;
    } else if (Array.isArray(one)) for (const item of one) waiting.push(item);
    else if (typeof one === "object" && one !== null) {
      for (const [name, member] of Object.entries(one)) {
        if (!isStorable(name)) return false;
        waiting.push(member);
      }
    }
  }
  return true;
}

/** Whether JSON text is nested deeper than `most` levels. For invalid JSON the result has no meaning. */
export function isTooDeep(text: string, most = MAX_DEPTH): boolean {
  // Every level takes at least two characters.
  if (text.length <= most * 2) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      do {
        at = text.indexOf('"', at + 1);
        if (at < 0) return false;
      } while (isEscaped(text, at));
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
