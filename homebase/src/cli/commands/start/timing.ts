/** Owns measuring the phases of a start, from the beginning of the process. */

export interface Step {
  name: string;
  milliseconds: number;
}

/** A list of consecutive steps. */
export class Timing {
  readonly #steps: Step[] = [];
  #name = "Loading the command";
  #began: number;

  constructor() {
    // performance.now() counts from the start of the process.
    this.#began = performance.nodeTiming.bootstrapComplete;
    this.#steps.push({ name: "Starting Node", milliseconds: Math.round(this.#began) });
  }

  /** Ends the current step and begins another. */
  step(name: string): void {
    this.#close();
    this.#name = name;
  }

  /** Ends the last step. @returns all of them. */
  end(): readonly Step[] {
    this.#close();
    return this.#steps;
  }

  /** Milliseconds since the process was started. */
  sinceCall(): number {
    return Math.round(performance.now());
  }

  #close(): void {
    const now = performance.now();
    this.#steps.push({ name: this.#name, milliseconds: Math.round(now - this.#began) });
    this.#began = now;
  }
}
