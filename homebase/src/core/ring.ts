/** Owns a ring of the last entries, bounded by their number and their size, which readers follow by a cursor. */
import { setTimeout } from "node:timers/promises";

/** A part of a ring. */
export interface RingPart {
  /** For the next call. */
  cursor: number;
  /** How many entries have come after the given cursor and have given way already. */
  lost: number;
}

/** A batch of `follow` at most so often. */
const FOLLOW_MS = 100;

/** The last entries. */
export class Ring<Entry extends { readonly held: number }> {
  readonly #slots: (Entry | undefined)[];
  readonly #maxBytes: number;
  #next = 0;
  #first = 0;
  #held = 0;

  /** @param maxBytes of what the entries say they hold. */
  constructor(capacity: number, maxBytes: number) {
    this.#slots = new Array<Entry | undefined>(capacity);
    this.#maxBytes = maxBytes;
  }

  /** Keeps an entry; the oldest ones give way. */
  add(entry: Entry): void {
    const slots = this.#slots;
    if (this.#next - this.#first === slots.length) this.#forget();
    slots[this.#next % slots.length] = entry;
    this.#next += 1;
    this.#held += entry.held;
    while (this.#held > this.#maxBytes && this.#first < this.#next) this.#forget();
  }

  /** The number of entries that have come so far. */
  get cursor(): number {
    return this.#next;
  }

  /** The last matching entries in order. @param after the cursor of an earlier call. @param limit the last so many. */
  list(
    matches: (entry: Entry) => boolean,
    after: number | undefined,
    limit: number | undefined,
  ): RingPart & { entries: Entry[] } {
    const entries: Entry[] = [];
    for (let at = this.#next - 1; at >= Math.max(after ?? 0, this.#first); at -= 1) {
      const entry = this.#slots[at % this.#slots.length];
      if (!entry || !matches(entry)) continue;
      if (entries.length === limit) break;
      entries.push(entry);
    }
    entries.reverse();
    return {
      entries,
      cursor: this.#next,
      lost: after === undefined ? 0 : Math.max(0, this.#first - after),
    };
  }

  #forget(): void {
    const at = this.#first % this.#slots.length;
    this.#held -= this.#slots[at]?.held ?? 0;
    this.#slots[at] = undefined;
    this.#first += 1;
  }
}

/** Later entries in batches, until the signal. @param empty whether a part is not worth a batch. */
export async function* follow<Part extends RingPart>(
  list: (after: number) => Part,
  after: number,
  empty: (part: Part) => boolean,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  let cursor = after;
  while (!signal.aborted) {
    const part = list(cursor);
    cursor = part.cursor;
    if (!empty(part) || part.lost > 0) yield part;
    await setTimeout(FOLLOW_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
