/**
 * Owns the count of failed attempts: a six-digit code is safe only if attempts are limited. Upstream limits
 * requests by IP address only, and only where a proxy supplies it; here attempts are also counted for each
 * code.
 */

import type { Clock } from "../../core/clock.ts";
import { perAuth } from "../kit/auth.ts";
import { AuthError } from "../kit/errors.ts";
import { Buckets } from "../kit/token-buckets.ts";

const MINUTE_MS = 60_000;
/** The number of immediate attempts that hosted allows an IP address (the burst of its request limits). */
const MOST_GUESSES = 30;
/** A sent code: attempts are not refilled. */
const PER_CODE = { perMs: 0, burst: MOST_GUESSES };
/** TOTP codes change, so attempts are refilled, at the rate of hosted's limit for factors. */
const PER_FACTOR = { perMs: 15 / MINUTE_MS, burst: MOST_GUESSES };
/**
 * A hash in a link identifies no user until it matches, so attempts are counted by IP address, at hosted's
 * rate.
 */
const PER_ADDRESS = { perMs: 30 / (5 * MINUTE_MS), burst: MOST_GUESSES };

/** The failed attempts at one Backend's codes. Kept in memory: a code is valid for an hour at most. */
export class CodeGuesses {
  readonly #buckets: Buckets;

  constructor(clock: Clock) {
    this.#buckets = new Buckets(clock);
  }

  /** Whether a sent code is still accepted. @param code its stored hash, or the id of its substitute. */
  isOpen(code: string): boolean {
    return this.#buckets.has(`code ${code}`, PER_CODE);
  }

  /** Counts a failed attempt at a sent code; the last one invalidates the code. */
  missCode(code: string): void {
    this.#buckets.take(`code ${code}`, PER_CODE);
  }

  /** @throws AuthError 429 when a factor has no attempts left for now. */
  requireFactor(factorId: string): void {
    if (!this.#buckets.has(`factor ${factorId}`, PER_FACTOR)) throw tooMany();
  }

  /** Counts a failed attempt at a TOTP code. */
  missFactor(factorId: string): void {
    this.#buckets.take(`factor ${factorId}`, PER_FACTOR);
  }

  /** Counts an unknown hash. @throws AuthError 429 when the IP address has no attempts left. */
  missHash(address: string): void {
    if (!this.#buckets.take(`hash ${address}`, PER_ADDRESS)) throw tooMany();
  }

  /** @throws AuthError 429 when the IP address has no attempts left for unknown hashes. */
  requireAddress(address: string): void {
    if (!this.#buckets.has(`hash ${address}`, PER_ADDRESS)) throw tooMany();
  }
}

export const codeGuesses = perAuth((auth) => new CodeGuesses(auth.context.clock));

function tooMany(): AuthError {
  return new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
}
