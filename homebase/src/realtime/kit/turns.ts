/**
 * Owns whose messages are handled next: one client's many messages must delay neither other clients nor the rest of
 * the stack, which runs on the same event loop. Each owner's messages stay in order.
 */

/** Time for messages in one turn of the event loop. */
const TURN_MS = 10;

/** Handles messages of many owners, a bounded time in each turn of the event loop. */
export class Turns {
  /** The messages that wait, by owner; the owner that was served longest ago is first. */
  readonly #waiting = new Map<object, (() => void)[]>();
  readonly #now: () => number;
  readonly #schedule: (turn: () => void) => void;
  #turnEnds: number | undefined;

  /** @param schedule calls its argument in the next turn of the event loop. @param now milliseconds. */
  constructor(schedule: (turn: () => void) => void, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#schedule = schedule;
  }

  /**
   * Handles a message at once if this turn has time left, or else in a later one.
   * @param handle must not throw.
   * @returns whether it was handled; an owner whose messages wait should send no more of them.
   */
  take(owner: object, handle: () => void): boolean {
    const queue = this.#waiting.get(owner);
    if (queue) {
      queue.push(handle);
      return false;
    }
    if (this.#turnEnds === undefined) {
      this.#turnEnds = this.#now() + TURN_MS;
      this.#schedule(this.#next);
    } else if (this.#now() >= this.#turnEnds) {
      this.#waiting.set(owner, [handle]);
      return false;
    }
    handle();
    return true;
  }

  /** Handles messages of one owner in their order. @returns when the last of them is handled. */
  async all(owner: object, handlers: Iterable<() => void>): Promise<void> {
    for (const handle of handlers) this.take(owner, handle);
    await new Promise<void>((resolve) => this.take(owner, resolve));
  }

  readonly #next = (): void => {
    this.#turnEnds = undefined;
    if (this.#waiting.size === 0) return;
    this.#turnEnds = this.#now() + TURN_MS;
    this.#schedule(this.#next);
    while (this.#waiting.size > 0 && this.#now() < this.#turnEnds) {
      for (const [owner, queue] of this.#waiting) {
        if (this.#now() >= this.#turnEnds) break;
        const handle = queue.shift();
        this.#waiting.delete(owner);
        if (queue.length > 0) this.#waiting.set(owner, queue);
        handle?.();
      }
    }
  };
}
