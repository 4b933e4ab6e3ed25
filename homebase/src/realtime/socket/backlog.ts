/**
 * Owns how much one channel holds of its client's messages: those sent before its join is accepted, and those that
 * wait for a policy's answer. Upstream reads no further from a socket while a channel joins, which bounds the same.
 */

/** See the file's head. */
export class Backlog {
  readonly #mostMessages: number;
  readonly #mostBytes: number;
  #messages = 0;
  #bytes = 0;

  constructor(limits: { waitingMessages: number; waitingBytes: number }) {
    this.#mostMessages = limits.waitingMessages;
    this.#mostBytes = limits.waitingBytes;
  }

  /** Takes a message in. @returns what gives its place back; undefined when there is none. */
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
