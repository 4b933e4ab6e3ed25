/**
 * Owns the memory that large bodies take together, in this process: one waits until there is room for it. Without a
 * common bound, a few of them at once would take the memory of the machine.
 */
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";
import type { AdmitBody } from "../../http/exchange.ts";

/** Parsing and sending a body takes several times its size. */
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
  /** Called when it has room. */
  enter: () => void;
  since: number;
}

/** The body of one request. */
export interface Place {
  /** Waits for room, in the order of the calls. A body larger than all room waits until there is no other. */
  admit: AdmitBody;
  /** The request is over: gives the room back, or stops waiting for it. */
  leave: () => void;
}

/** Room for the bodies of one service. */
export class LargeBodies {
  readonly #log: Log;
  readonly #held = new Set<Holder>();
  readonly #waiting = new Set<Holder>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** A request's place. @param arriving whether its body is still on its way. */
  place(arriving: () => boolean): Place {
    let holder: Holder | undefined;
    return {
      admit: (bytes, end) =>
        new Promise((enter) => {
          holder = { bytes, arriving, end, enter, since: 0 };
          this.#waiting.add(holder);
          this.#fill();
        }),
      leave: () => {
        if (!holder) return;
        this.#waiting.delete(holder);
        this.#held.delete(holder);
        this.#fill();
      },
    };
  }

  #fill(): void {
    let used = 0;
    for (const { bytes } of this.#held) used += bytes;
    for (const next of this.#waiting) {
      if (this.#held.size > 0 && used + next.bytes > ROOM_BYTES) break;
      this.#waiting.delete(next);
      used += next.bytes;
      next.since = performance.now();
      this.#held.add(next);
      next.enter();
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const check = errorBoundary(this.#log, "the check of large bodies", () => this.#makeRoom());
    this.#timer = setTimeout(check, PATIENCE_MS).unref();
  }

  /** Ends the bodies that have been arriving for too long while others wait. */
  #makeRoom(): void {
    const latest = performance.now() - PATIENCE_MS;
    for (const holder of this.#held) if (holder.since <= latest && holder.arriving()) holder.end();
    this.#fill();
  }
}
