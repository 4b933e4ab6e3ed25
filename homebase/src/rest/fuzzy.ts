/**
 * Owns the "Perhaps you meant" hints: candidates by shared 2- and 3-grams (cosine similarity), ranked by
 * Levenshtein distance, as PostgREST's FuzzySet does.
 */

const GRAM_SIZES = [3, 2] as const;
const LONGEST_WANTED = 1_000;

/**
 * The candidate most similar to `wanted`.
 * @param threshold minimum similarity, 0 to 1.
 * @returns undefined when none is similar enough.
 */
export function closest(wanted: string, candidates: Iterable<string>, threshold: number): string | undefined {
  // Comparing takes time by both lengths, and no name of a database is longer.
  if (wanted.length > LONGEST_WANTED) return undefined;
  const normal = wanted.toLowerCase();
  const all = [...new Set(candidates)];
  const exact = all.find((one) => one.toLowerCase() === normal);
  if (exact !== undefined) return exact;
  for (const size of GRAM_SIZES) {
    const grams = gramsOf(normal, size);
    let best: { name: string; score: number } | undefined;
    for (const name of all) {
      if (similarity(grams, gramsOf(name.toLowerCase(), size)) === 0) continue;
      const longest = Math.max(normal.length, name.length);
      const score = longest === 0 ? 1 : 1 - levenshtein(normal, name.toLowerCase()) / longest;
      if (score >= threshold && (!best || score > best.score)) best = { name, score };
    }
    if (best) return best.name;
  }
  return undefined;
}

function gramsOf(text: string, size: number): Map<string, number> {
  const padded = `-${text.replace(/[^\p{L}\p{N}\s,]/gu, "")}-`;
  const grams = new Map<string, number>();
  for (let at = 0; at + size <= Math.max(padded.length, size); at++) {
    const gram = padded.slice(at, at + size);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

function similarity(left: Map<string, number>, right: Map<string, number>): number {
  let product = 0;
  for (const [gram, count] of left) product += count * (right.get(gram) ?? 0);
  return product / (magnitude(left) * magnitude(right));
}

function magnitude(grams: Map<string, number>): number {
  let sum = 0;
  for (const count of grams.values()) sum += count * count;
  return Math.sqrt(sum);
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
