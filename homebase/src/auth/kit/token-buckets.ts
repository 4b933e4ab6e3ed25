/** Owns token buckets: counters by key with a steady refill, on the Backend's clock, in bounded memory. */
import type { Clock } from "../../core/clock.ts";

/** Maximum number of keys; beyond it the least recently used are dropped. */
const MOST_KEYS = 10_000;

/** The refill rate and the capacity of a bucket. */
export interface Rate {
  perMs: number;
  burst: number;
}

/** Token buckets by key, in bounded memory. */
export class Buckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a key's bucket has a token left. */
  has(key: string, rate: Rate): boolean {
    return this.#left(key, rate) >= 1;
  }

  /** Takes a token from a key's bucket. @returns false when it is empty. */
  take(key: string, rate: Rate): boolean {
    const left = this.#left(key, rate);
    if (left < 1) return false;
    // Deleted and set again, so that the map is ordered by last use.
    this.#buckets.delete(key);
    this.#buckets.set(key, { left: left - 1, at: this.#clock.now() });
    if (this.#buckets.size > MOST_KEYS) {
      const oldest = this.#buckets.keys().next().value;
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return true;
  }

  #left(key: string, { perMs, burst }: Rate): number {
    const bucket = this.#buckets.get(key);
    if (!bucket) return burst;
    return Math.min(burst, bucket.left + (this.#clock.now() - bucket.at) * perMs);
  }
}
