/**
 * Owns time. Every service asks its Backend's Clock, never `Date.now()`, so that a test can move time
 * instead of waiting for it.
 */

/** A source of the current time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that runs with the machine's, moved by as much as a test asked for. */
export class MovableClock implements Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Moves time forward (or back, when negative) by `milliseconds`. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Back to the machine's time. */
  reset(): void {
    this.#offset = 0;
  }
}
