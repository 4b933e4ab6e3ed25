/**
 * Owns the counting of wrong guesses: a code of six digits is safe only while few can be tried. Upstream counts
 * requests by address alone, and only where a proxy names the address; here each code counts its own guesses.
 */
import type { Clock } from "../../core/clock.ts";
import { AuthError } from "../errors.ts";
import { Buckets } from "../limits/token-buckets.ts";

const MINUTE_MS = 60_000;
/** As many as hosted lets one address try at once (the burst of its request limits). */
const MOST_GUESSES = 30;
/** A code sent once: no guess comes back. */
const PER_CODE = { perMs: 0, burst: MOST_GUESSES };
/** An authenticator's codes change, so its guesses come back, at the rate of hosted's limit for factors. */
const PER_FACTOR = { perMs: 15 / MINUTE_MS, burst: MOST_GUESSES };
/** A hash in a link names no user until it matches, so guesses are counted by IP address, at hosted's rate. */
const PER_ADDRESS = { perMs: 30 / (5 * MINUTE_MS), burst: MOST_GUESSES };

/** The guesses at one Backend's codes. Kept in memory: a code lives an hour at most. */
export class CodeGuesses {
  readonly #buckets: Buckets;

  constructor(clock: Clock) {
    this.#buckets = new Buckets(clock);
  }

  /** Whether a sent code still counts. @param code its stored hash, or the id of what it stands in. */
  isOpen(code: string): boolean {
    return this.#buckets.has(`code ${code}`, PER_CODE);
  }

  /** Counts a wrong guess at a sent code; the last one makes the code void. */
  missCode(code: string): void {
    this.#buckets.take(`code ${code}`, PER_CODE);
  }

  /** @throws AuthError 429 when a factor's guesses are used up for now. */
  requireFactor(factorId: string): void {
    if (!this.#buckets.has(`factor ${factorId}`, PER_FACTOR)) throw tooMany();
  }

  /** Counts a wrong guess at an authenticator's code. */
  missFactor(factorId: string): void {
    this.#buckets.take(`factor ${factorId}`, PER_FACTOR);
  }

  /** Counts an unknown hash. @throws AuthError 429 when the address has tried too many. */
  missHash(address: string): void {
    if (!this.#buckets.take(`hash ${address}`, PER_ADDRESS)) throw tooMany();
  }

  /** @throws AuthError 429 when the address has tried too many unknown hashes. */
  requireAddress(address: string): void {
    if (!this.#buckets.has(`hash ${address}`, PER_ADDRESS)) throw tooMany();
  }
}

function tooMany(): AuthError {
  return new AuthError(429, "over_request_rate_limit", "Request rate limit reached");
}
