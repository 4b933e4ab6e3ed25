/** Owns the versions of files in a wanted order: as few files as possible get another one, and none gets one that is in use. */

/**
 * Whether versions increase, and new ones stand in order of file names too, by which the Supabase CLI sorts: `10_` comes
 * before `1_` there.
 */
const inOrder = (versions: readonly string[], kept: ReadonlySet<number>) =>
  versions.every((version, at) => {
    const before = versions[at - 1];
    if (before === undefined) return true;
    return before < version && ((kept.has(at) && kept.has(at - 1)) || `${before}_` < `${version}_`);
  });

/**
 * @param versions of the files in the wanted order; undefined for a new file
 * @returns increasing versions
 */
export function versionsFor(versions: readonly (string | undefined)[]): string[] {
  const used = new Set(versions.filter((one) => one !== undefined));
  if (used.size === 0) return versions.map((_, at) => step(FIRST, at) ?? "");
  const kept = longestIncreasing(versions);
  for (;;) {
    const filled = fill(versions, kept, used);
    if (typeof filled !== "number")
      return filled && inOrder(filled, kept) ? filled : renumbered(versions.length, used);
    kept.delete(filled);
  }
}

/** Of the only file of a folder. */
const FIRST = "20200101000000";

/** The indexes of the most files that can keep their version. */
function longestIncreasing(versions: readonly (string | undefined)[]): Set<number> {
  const best: number[][] = [];
  versions.forEach((version, at) => {
    const before = versions
      .slice(0, at)
      .map((earlier, index) =>
        version !== undefined && earlier !== undefined && earlier < version ? (best[index] ?? []) : [],
      );
    best.push(version === undefined ? [] : [...longest(before), at]);
  });
  return new Set(longest(best));
}

const longest = (lists: readonly number[][]) =>
  lists.reduce((most, one) => (one.length > most.length ? one : most), []);

/** The versions, or the index of a kept one that leaves no room before it; undefined when no number is left. */
function fill(
  versions: readonly (string | undefined)[],
  kept: ReadonlySet<number>,
  used: ReadonlySet<string>,
): string[] | number | undefined {
  const filled: string[] = [];
  const first = versions.findIndex((_, at) => kept.has(at));
  if (first > 0) {
    for (let back = versions[first]; filled.length < first; ) {
      back = step(back ?? "", -1);
      if (back === undefined) return first;
      if (!used.has(back)) filled.unshift(back);
    }
  }
  let last = filled.at(-1) ?? (first < 0 ? [...used].sort().at(-1) : undefined);
  for (let at = filled.length; at < versions.length; at += 1) {
    if (kept.has(at)) {
      const own = versions[at] ?? "";
      if (last !== undefined && last >= own) return at;
      last = own;
    } else {
      do last = step(last ?? "", 1);
      while (last !== undefined && used.has(last));
      if (last === undefined) return undefined;
    }
    filled.push(last);
  }
  return filled;
}

/** Numbers of equal length from 1, beside those in use. */
function renumbered(count: number, used: ReadonlySet<string>): string[] {
  for (let width = String(count).length; ; width += 1) {
    const numbers = Array.from({ length: count }, (_, at) => String(at + 1).padStart(width, "0"));
    if (!numbers.some((one) => used.has(one))) return numbers;
  }
}

/** The version that many seconds or numbers later, of the same length; undefined where there is none. */
function step(version: string, by: number): string | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(version)?.map(Number) ?? [];
  const [year = 0, month = 0, day, hour, minute, second = 0] = parts;
  const text = (time: number) => new Date(time).toISOString().replace(/\D/g, "").slice(0, 14);
  const time = Date.UTC(year, month - 1, day, hour, minute, second);
  if (parts.length > 0 && year >= 1_000 && text(time) === version) return text(time + by * 1_000);
  const number = BigInt(version || 0) + BigInt(by);
  const padded = String(number).padStart(version.length, "0");
  return number < 0n || padded.length > version.length ? undefined : padded;
}
