/**
 * Owns the reading of JSON that strangers send: how deep it may be nested, and which text Postgres can store.
 */

/**
 * Deeper values are refused: `JSON.stringify` and Postgres's own parser recurse, and end in an overflow of the stack
 * at some thousands of levels.
 */
const MAX_DEPTH = 1_000;

/** JSON that is refused; the message says why. */
export class JsonRefused extends Error {
  override readonly name = "JsonRefused";
}

/**
 * Reads JSON.
 * @throws JsonRefused for what is none, or is nested too deeply.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JsonRefused(error instanceof Error ? error.message : "invalid character");
  }
  if (isTooDeep(value)) throw new JsonRefused("exceeded max depth");
  return value;
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

/** Level by level, and not by recursion, which is what it guards. */
function isTooDeep(value: unknown): boolean {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= MAX_DEPTH) return true;
    level = level.flatMap((one) => Object.values(one).filter(isObject));
  }
  return false;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
