/** Owns the counting of what happens a second, averaged over a minute as hosted does it. */

const WINDOW_SECONDS = 60;

/** See the file's head. Times are milliseconds since the epoch. */
export class Rate {
  readonly #limit: number;
  readonly #counts = new Map<number, number>();
  #first: number | undefined;

  /** @param limit most a second; infinite for none. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Counts, and says whether it is too many now. */
  add(now: number, count = 1): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return false;
    const second = Math.floor(now / 1000);
    this.#first ??= second;
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count);
    return this.average(now) > this.#limit;
  }

  /** A second, over the last minute or since the first was counted. */
  average(now: number): number {
    const second = Math.floor(now / 1000);
    let sum = 0;
    for (const [at, count] of this.#counts) {
      if (at <= second - WINDOW_SECONDS) this.#counts.delete(at);
      else sum += count;
    }
    return sum / Math.min(WINDOW_SECONDS, Math.max(1, second - (this.#first ?? second) + 1));
  }
}
