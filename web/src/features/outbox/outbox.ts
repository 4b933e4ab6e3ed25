/**
 * Owns: the queue of what a person did that the server does not have yet. It is kept on the device before
 * anything is sent, sent in order once there is a connection, by one tab at a time, and what the server
 * refuses stays with its reason until the person decides. Storage, network and locks are passed in.
 */
import type { AppError } from "../../lib/errors.ts";
import type { Entry, QueuedMutation } from "./schema.ts";

export interface Dependencies {
  /** Does the mutation; throws an AppError. */
  send: (entry: Entry) => Promise<void>;
  /** The stored queue, shared by all tabs. */
  read: () => Promise<Entry[]>;
  persist: (entry: Entry) => Promise<void>;
  remove: (id: string) => Promise<void>;
  /** Runs the work while no other tab runs its own. */
  withLock: (work: () => Promise<void>) => Promise<void>;
  /** Notifies the other tabs of a change in the stored queue. */
  tellOthers: () => void;
  toAppError: (thrown: unknown) => AppError;
  now: () => number;
  defer: (work: () => void, ms: number) => void;
}

/** The delay after the first failed send; it doubles with each further one. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
/** The limit of thirty messages a minute ends within a minute. */
const TOO_MANY = "too_many_messages";

export class Outbox {
  readonly #dependencies: Dependencies;
  readonly #listeners = new Set<() => void>();
  /** Entries that are being stored: a read of the store that begins meanwhile does not have them yet. */
  readonly #adding = new Map<string, Entry>();
  #entries: readonly Entry[] = [];
  #person: string | null = null;
  #asked = false;
  #failures = 0;
  #lastMadeAt = 0;
  #readsBegun = 0;
  /** The latest read; results of earlier ones are ignored. */
  #readShown = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** This person's entries, oldest first; the same array until something changes. */
  snapshot = (): readonly Entry[] => this.#entries;

  /** Whether the last attempt got no answer; the next attempt is scheduled. */
  retrying = (): boolean => this.#failures > 0;

  /** The person whose entries are shown and sent; null when nobody is signed in. */
  async belongTo(person: string | null): Promise<void> {
    this.#person = person;
    await this.reread();
    void this.flush();
  }

  /** Keeps the mutation, then sends it as soon as that goes. Resolves when it is safe on the device. */
  async add(mutation: QueuedMutation, id: string): Promise<void> {
    if (this.#person === null) throw new Error("Nobody is signed in to do this");
    const madeAt = Math.max(this.#dependencies.now(), this.#lastMadeAt + 1);
    this.#lastMadeAt = madeAt;
    const entry: Entry = { id, person: this.#person, madeAt, mutation, refused: null };
    // Shown at once; that it is kept follows in a few milliseconds.
    this.#adding.set(id, entry);
    this.#show([...this.#entries.filter((each) => each.id !== id), entry]);
    try {
      await this.#dependencies.persist(entry);
    } finally {
      this.#adding.delete(id);
      // Also if it could not be stored: later entries wait for their turn.
      await this.reread();
      this.#dependencies.tellOthers();
      void this.flush();
    }
  }

  /** Puts what was refused back in line. */
  async retry(id: string): Promise<void> {
    const entry = this.#entries.find((each) => each.id === id);
    if (!entry) return;
    await this.#change(() => this.#dependencies.persist({ ...entry, refused: null }));
    void this.flush();
  }

  /** Takes something back that was not sent. */
  async drop(id: string): Promise<void> {
    await this.#change(() => this.#dependencies.remove(id));
  }

  /** Passes a person's entries, refused ones too, to another person, and sends them: a guest moved into an account. */
  async reassign(from: string, to: string): Promise<void> {
    const { withLock, persist, read } = this.#dependencies;
    // Under the lock no tab sends: sending would store an entry under its earlier person again.
    await withLock(async () => {
      for (const entry of await read()) {
        if (entry.person === from) await persist({ ...entry, person: to, refused: null });
      }
    });
    await this.reread();
    this.#dependencies.tellOthers();
    void this.flush();
  }

  /** Reads the stored queue: another tab may have added, sent or dropped an entry. */
  async reread(): Promise<void> {
    const person = this.#person;
    this.#readsBegun += 1;
    const turn = this.#readsBegun;
    // An entry that is stored during this read is neither in its result nor announced afterwards.
    const addingBefore = [...this.#adding.values()];
    const stored = person === null ? [] : await this.#dependencies.read();
    if (person !== this.#person || turn < this.#readShown) return;
    this.#readShown = turn;
    const entries = [...stored, ...addingBefore, ...this.#adding.values()].filter(
      ({ id }, at, all) => all.findIndex((each) => each.id === id) === at,
    );
    this.#show(entries.filter((entry) => entry.person === person).sort((a, b) => a.madeAt - b.madeAt));
  }

  /** Sends what waits, because the connection may be back. If it is not yet, the waits begin from the shortest. */
  async reconnected(): Promise<void> {
    this.#failures = 0;
    this.#show(this.#entries);
    await this.flush();
  }

  /** Sends what waits, in order. Does nothing twice: asked again while it waits its turn, it runs once. */
  async flush(): Promise<void> {
    if (this.#asked || this.#person === null || !this.#next()) return;
    this.#asked = true;
    await this.#dependencies.withLock(async () => {
      this.#asked = false;
      await this.reread();
      let next = this.#next();
      while (next) {
        if (!(await this.#sendOne(next))) return;
        next = this.#next();
      }
    });
  }

  /** The oldest waiting entry that the device has stored; an entry that is still being stored is sent later. */
  #next(): Entry | undefined {
    return this.#entries.find((entry) => waiting(entry) && !this.#adding.has(entry.id));
  }

  /** Whether to go on with the next one. */
  async #sendOne(entry: Entry): Promise<boolean> {
    try {
      await this.#dependencies.send(entry);
    } catch (thrown) {
      const error = this.#dependencies.toAppError(thrown);
      if (error.kind === "network" || error.code === TOO_MANY) {
        const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
        this.#failures += 1;
        this.#show(this.#entries);
        this.#dependencies.defer(() => void this.flush(), wait);
        return false;
      }
      const { code, message, hint } = error;
      await this.#change(() => this.#dependencies.persist({ ...entry, refused: { code, message, hint } }));
      return true;
    }
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#show(this.#entries);
    }
    await this.#change(() => this.#dependencies.remove(entry.id));
    return true;
  }

  async #change(change: () => Promise<void>): Promise<void> {
    await change();
    await this.reread();
    this.#dependencies.tellOthers();
  }

  #show(entries: readonly Entry[]): void {
    this.#entries = entries;
    for (const listener of this.#listeners) listener();
  }
}

export function waiting(entry: Entry): boolean {
  return entry.refused === null;
}
