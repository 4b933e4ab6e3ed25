/**
 * Owns the "Perhaps you meant" hints: candidates by shared 2- and 3-grams, ranked by Levenshtein distance, as PostgREST's
 * FuzzySet does.
 */

const GRAM_SIZES = [3, 2] as const;
const LONGEST_WANTED = 1_000;

/** Names to choose from, indexed by their grams. */
export class FuzzySet {
  readonly #names: { name: string; lower: string }[];
  readonly #indexes = new Map<number, Map<string, number[]>>();

  constructor(names: Iterable<string>) {
    this.#names = [...new Set(names)].map((name) => ({ name, lower: name.toLowerCase() }));
    for (const size of GRAM_SIZES) this.#indexes.set(size, indexOf(this.#names, size));
  }

  get size(): number {
    return this.#names.length;
  }

  /**
   * The name most similar to `wanted`.
   * @param threshold minimum similarity, 0 to 1.
   * @returns undefined when none is similar enough.
   */
  closest(wanted: string, threshold: number): string | undefined {
    // Comparing takes time by both lengths, and no name of a database is longer.
    if (wanted.length > LONGEST_WANTED) return undefined;
    const normal = wanted.toLowerCase();
    const exact = this.#names.find(({ lower }) => lower === normal);
    if (exact) return exact.name;
    for (const [size, index] of this.#indexes) {
      const sharing = new Set(gramsOf(normal, size).flatMap((gram) => index.get(gram) ?? []));
      let best: { at: number; score: number } | undefined;
      for (const at of sharing) {
        const score = this.#score(normal, at, Math.max(threshold, best?.score ?? 0));
        if (score < threshold) continue;
        if (!best || score > best.score || (score === best.score && at < best.at)) best = { at, score };
      }
      if (best) return this.#names[best.at]?.name;
    }
    return undefined;
  }

  /** The similarity, or 0 when it must be below `least`: names of other lengths need no comparison. */
  #score(wanted: string, at: number, least: number): number {
    const lower = this.#names[at]?.lower ?? "";
    const longest = Math.max(wanted.length, lower.length);
    if (1 - Math.abs(wanted.length - lower.length) / longest < least) return 0;
    return 1 - levenshtein(wanted, lower) / longest;
  }
}

function indexOf(names: readonly { lower: string }[], size: number): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [at, { lower }] of names.entries()) {
    for (const gram of new Set(gramsOf(lower, size))) {
      const list = index.get(gram);
      if (list) list.push(at);
      else index.set(gram, [at]);
    }
  }
  return index;
}

function gramsOf(text: string, size: number): string[] {
  const padded = `-${text.replace(/[^\p{L}\p{N}\s,]/gu, "")}-`;
  const count = Math.max(padded.length - size + 1, 1);
  return Array.from({ length: count }, (_, at) => padded.slice(at, at + size));
}

function levenshtein(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
