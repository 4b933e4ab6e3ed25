/** Owns measuring a rate per second, averaged over a minute as on hosted. */

const WINDOW_SECONDS = 60;

/** A rate per second, averaged over a minute. Times are milliseconds since the epoch. */
export class Rate {
  readonly #limit: number;
  /** By second, the oldest first. */
  readonly #counts = new Map<number, number>();
  #sum = 0;
  #first: number | undefined;

  /** @param limit maximum per second; infinite for none. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Counts an event. @returns whether the rate exceeds the limit. */
  add(now: number, count = 1): boolean {
    if (this.#limit === Number.POSITIVE_INFINITY) return false;
    const second = Math.floor(now / 1000);
    this.#first ??= second;
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count);
    this.#sum += count;
    return this.average(now) > this.#limit;
  }

  /** The rate per second, over the last minute or since the first event. */
  average(now: number): number {
    const second = Math.floor(now / 1000);
    for (const [at, count] of this.#counts) {
      if (at > second - WINDOW_SECONDS) break;
      this.#counts.delete(at);
      this.#sum -= count;
    }
    return this.#sum / Math.min(WINDOW_SECONDS, Math.max(1, second - (this.#first ?? second) + 1));
  }
}
