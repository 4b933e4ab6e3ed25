/** Owns the measurement of a request's stages for `Server-Timing` (PostgREST documentation, "Server-Timing Header"). */

export type Stage = "jwt" | "parse" | "plan" | "transaction" | "response";

/** Measures the time between laps. */
export class Stopwatch {
  #last = performance.now();
  readonly #parts: string[] = [];

  /** Adds the time since the previous lap to `stage`. */
  lap(stage: Stage): void {
    const now = performance.now();
    this.#parts.push(`${stage};dur=${(now - this.#last).toFixed(1)}`);
    this.#last = now;
  }

  /** The header's value: milliseconds for each stage. */
  toString(): string {
    return this.#parts.join(", ");
  }
}
