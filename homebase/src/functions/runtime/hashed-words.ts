/**
 * Owns the stand-in for gte-small, where a start asks for it: 384 numbers made of a text's words, so that code that
 * stores and compares embeddings runs. Texts that share words are near each other; their meaning plays no part.
 */

/** As many as gte-small gives. */
const DIMENSIONS = 384;

/** The same numbers for the same words in any order and in any process. @param normalise to the length 1 */
export function hashedWords(text: string, normalise: boolean): number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [""];
  const sum = new Array<number>(DIMENSIONS).fill(0);
  for (const word of words) {
    let state = hash(word);
    for (let at = 0; at < DIMENSIONS; at += 1) {
      state = next(state);
      sum[at] = (sum[at] ?? 0) + (state / 2 ** 31 - 1) / words.length;
    }
  }
  const length = normalise ? Math.hypot(...sum) : 1;
  return sum.map((one) => one / length);
}

/** FNV-1a, 32 bits, of the UTF-16 units; never 0, where `next` would stay. */
function hash(word: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) value = Math.imul(value ^ word.charCodeAt(at), 0x01000193);
  return value >>> 0 || 1;
}

/** Marsaglia's xorshift of 32 bits. */
function next(state: number): number {
  let value = state ^ (state << 13);
  value ^= value >>> 17;
  return (value ^ (value << 5)) >>> 0;
}
