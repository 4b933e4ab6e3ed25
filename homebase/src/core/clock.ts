/**
 * Owns time. Every service uses its Backend's Clock, never `Date.now()`, so that a test can move time instead
 * of waiting.
 */

/** A source of the current time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that runs with the machine's, offset by a test. */
export class MovableClock implements Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Milliseconds that it is ahead of the machine's. */
  get offset(): number {
    return this.#offset;
  }

  /** Moves time forward (or back, when negative) by `milliseconds`. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Resets to the machine's time. */
  reset(): void {
    this.#offset = 0;
  }
}
