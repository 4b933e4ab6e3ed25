/**
 * Owns the queue of one channel's client messages: those sent before its join is accepted, and those that
 * wait for a policy's result. Upstream has a similar limit, because it stops reading from a socket while a
 * channel joins.
 */

/** A bounded queue of one channel's client messages. */
export class Backlog {
  readonly #mostMessages: number;
  readonly #mostBytes: number;
  #messages = 0;
  #bytes = 0;

  constructor(limits: { waitingMessages: number; waitingBytes: number }) {
    this.#mostMessages = limits.waitingMessages;
    this.#mostBytes = limits.waitingBytes;
  }

  /** Reserves space for a message. @returns a function that releases it; undefined when the queue is full. */
  hold(bytes: number): (() => void) | undefined {
    if (this.#messages >= this.#mostMessages || this.#bytes + bytes > this.#mostBytes) return undefined;
    this.#messages += 1;
    this.#bytes += bytes;
    return () => {
      this.#messages -= 1;
      this.#bytes -= bytes;
    };
  }
}
