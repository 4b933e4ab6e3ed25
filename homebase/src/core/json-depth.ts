/**
 * Owns the bound on how deep JSON may be nested. Parsing has none, but writing it again, row by row or
 * frame by frame, runs out of stack at some thousands of levels.
 */

/** Deeper than any data that people nest, and far from what a stack can hold. */
export const MOST_JSON_LEVELS = 500;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON text is nested deeper than `most` levels. Text that is no JSON may give either answer. */
export function isTooDeep(text: string, most = MOST_JSON_LEVELS): boolean {
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
