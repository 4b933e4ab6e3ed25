/** Owns token buckets: what is counted under a key, refilled evenly, on the Backend's clock, in bounded memory. */
import type { Clock } from "../../core/clock.ts";

/** Keys are forgotten when there are more of them than this, the least recently used first. */
const MOST_KEYS = 10_000;

/** How fast a bucket refills, and what it holds. */
export interface Rate {
  perMs: number;
  burst: number;
}

/** See the file's head. */
export class Buckets {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the bucket of a key has something left. */
  has(key: string, rate: Rate): boolean {
    return this.#left(key, rate) >= 1;
  }

  /** Takes one out of the bucket of a key. @returns false when it is empty. */
  take(key: string, rate: Rate): boolean {
    const left = this.#left(key, rate);
    if (left < 1) return false;
    // Set again, so that the map is in order of use.
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
