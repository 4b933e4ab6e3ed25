/**
 * Owns the memory that large bodies take together, in this process: one waits until there is room for it. Without a
 * bound of their own, a few of them at once would take the memory of the machine.
 */
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";

/** As much as the largest body alone: parsing and sending it takes several times as much. */
const ROOM_BYTES = 64 * 1024 ** 2;
/** After this time, a body that arrives slowly gives way to those that wait. */
const PATIENCE_MS = 30_000;

/** A large body that has, or waits for, room. */
interface Holder {
  bytes: number;
  /** Whether it is still on its way. */
  arriving: () => boolean;
  /** Breaks it off. */
  end: () => void;
  since: number;
}

/** Room for the bodies of one service. */
export class LargeBodies {
  readonly #log: Log;
  readonly #held = new Set<Holder>();
  readonly #waiting: { holder: Holder; enter: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Waits for room, in the order of the calls. A body larger than all room waits until there is no other.
   * @param end breaks the body off; called while others wait and it arrives slowly.
   * @returns a function that gives the room back.
   */
  async take(bytes: number, arriving: () => boolean, end: () => void): Promise<() => void> {
    const holder: Holder = { bytes, arriving, end, since: 0 };
    await new Promise<void>((resolve) => {
      this.#waiting.push({ holder, enter: resolve });
      this.#admit();
    });
    return () => {
      this.#held.delete(holder);
      this.#admit();
    };
  }

  #admit(): void {
    let used = 0;
    for (const { bytes } of this.#held) used += bytes;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      if (this.#held.size > 0 && used + next.holder.bytes > ROOM_BYTES) break;
      this.#waiting.shift();
      used += next.holder.bytes;
      next.holder.since = performance.now();
      this.#held.add(next.holder);
      next.enter();
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const check = errorBoundary(this.#log, "the check of large bodies", () => this.#makeRoom());
    this.#timer = setTimeout(check, PATIENCE_MS).unref();
  }

  /** Ends the bodies that have been arriving for too long while others wait. */
  #makeRoom(): void {
    const latest = performance.now() - PATIENCE_MS;
    for (const holder of this.#held) if (holder.since <= latest && holder.arriving()) holder.end();
    this.#admit();
  }
}
