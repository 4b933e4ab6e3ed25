/**
 * Owns the reading of JSON that strangers send: how deep it may be nested, and which text Postgres can store.
 */

/**
 * Deeper values are refused: `JSON.stringify` and Postgres's own parser recurse, and end in an overflow of the stack
 * at some thousands of levels.
 */
const MAX_DEPTH = 1_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** JSON that is refused; the message says why. */
export class JsonRefused extends Error {
  override readonly name = "JsonRefused";
}

/**
 * Reads JSON.
 * @throws JsonRefused for what is none, or is nested too deeply.
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new JsonRefused("exceeded max depth");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonRefused(error instanceof Error ? error.message : "invalid character");
  }
}

/** Reads JSON all of whose text Postgres can store. @throws JsonRefused */
export function parseStorableJson(text: string): unknown {
  const value = parseJson(text);
  if (!isStorableValue(value)) {
    throw new JsonRefused("invalid character: a NUL, or half of a surrogate pair, in a string");
  }
  return value;
}

/** Whether Postgres can store a text: it knows no NUL, and UTF-8 has no halves of surrogate pairs. */
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

/** Whether JSON text is nested deeper than `most` levels. Text that is no JSON may give either answer. */
export function isTooDeep(text: string, most = MAX_DEPTH): boolean {
  // Every level takes two characters.
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

/** Whether an odd number of backslashes stands before a position. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}
