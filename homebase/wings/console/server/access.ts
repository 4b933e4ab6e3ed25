/**
 * Owns the way into the console: codes that are used once, and the token of this start, which a page gets for one.
 * Nothing of it is on disk, so that both end with the stack.
 */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import { equalSecrets } from "../../../src/core/equal-secrets.ts";
import { bearerToken } from "../../../src/tokens/verify-token.ts";

/** 128 bits, 22 characters. */
const CODE_BYTES = 16;
const TOKEN_BYTES = 32;
/** How long a code is good that a command asked for. */
const CODE_MS = 60_000;
/** Between two guesses. */
const GUESS_MS = 1_000;
const MOST_WAITING = 20;

/** Why a request is refused. */
export interface Refusal {
  status: 401 | 403 | 415 | 429;
  message: string;
}

export class Access {
  readonly #token = randomBytes(TOKEN_BYTES).toString("base64url");
  /** By code, when it ends (`performance.now()`). */
  readonly #codes = new Map<string, number>();
  readonly #used = new Set<string>();
  #guessed: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** A code for a link. @param forAMinute otherwise it holds until it is used */
  code({ forAMinute }: { forAMinute: boolean }): string {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    this.#codes.set(code, forAMinute ? performance.now() + CODE_MS : Number.POSITIVE_INFINITY);
    return code;
  }

  /** Trades a code for the token. Wrong ones are answered one a second. */
  async enter(code: string): Promise<string | Refusal> {
    for (const [known, end] of this.#codes) {
      if (!equalSecrets(known, code)) continue;
      this.#codes.delete(known);
      this.#used.add(known);
      if (performance.now() < end) return this.#token;
      return { status: 401, message: "This link has ended: it was good for a minute." };
    }
    if (this.#waiting >= MOST_WAITING) return { status: 429, message: "Too many wrong codes are waiting." };
    this.#waiting += 1;
    this.#guessed = this.#guessed.then(() => setTimeout(GUESS_MS, undefined, { ref: false }));
    await this.#guessed;
    this.#waiting -= 1;
    return {
      status: 401,
      message: this.#used.has(code)
        ? "This link was used before. If that was not you, stop the stack: it ends every open page."
        : "This link is not of this start of the stack.",
    };
  }

  /** Whether a request carries the token of this start. */
  admits(headers: IncomingHttpHeaders): boolean {
    return equalSecrets(bearerToken(headers.authorization) ?? "", this.#token);
  }
}

/**
 * Why a call is refused before its code or token is looked at: it is not from a page at this address.
 * @param type of its body, one that a form of another page cannot send
 */
export function foreign(headers: IncomingHttpHeaders, port: number, type: string): Refusal | undefined {
  const own = `http://127.0.0.1:${port}`;
  const site = headers["sec-fetch-site"];
  if (headers.origin !== own || (site !== undefined && site !== "same-origin")) {
    return { status: 403, message: "Only the console's own page may ask this." };
  }
  if (headers["content-type"] !== type) return { status: 415, message: `The body must be ${type}.` };
  return undefined;
}
