/**
 * Owns the presences in one room: metas by key, one for each channel that tracks (docs/compat/realtime.md
 * 12).
 */

/** The state that a client tracks, with the references that Phoenix clients merge by. */
export type Meta = Record<string, unknown> & { phx_ref: string; phx_ref_prev?: string };
export type PresenceState = Record<string, { metas: Meta[] }>;
export interface PresenceDiff {
  joins: PresenceState;
  leaves: PresenceState;
}

interface Tracked {
  key: string;
  payload: string;
  meta: Meta;
}

let counter = 0;

/** Unique within the process; opaque to clients. */
function nextReference(): string {
  counter += 1;
  return `F${Date.now().toString(36)}${counter.toString(36)}`;
}

/** The presences in one room. A presence's owner is its channel object. */
export class Presences {
  readonly #tracked = new Map<object, Tracked>();

  get state(): PresenceState {
    const state: PresenceState = {};
    for (const { key, meta } of this.#tracked.values()) {
      const entry = Object.hasOwn(state, key) ? state[key] : undefined;
      if (entry) entry.metas.push(meta);
      else define(state, key, [meta]);
    }
    return state;
  }

  /** Tracks or updates. @returns the change, or undefined when the payload is unchanged. */
  track(owner: object, key: string, payload: Record<string, unknown>): PresenceDiff | undefined {
    const text = JSON.stringify(payload);
    const before = this.#tracked.get(owner);
    if (before?.payload === text) return undefined;
    const meta: Meta = { ...payload, phx_ref: nextReference() };
    if (before) meta.phx_ref_prev = before.meta.phx_ref;
    this.#tracked.set(owner, { key, payload: text, meta });
    const diff: PresenceDiff = { joins: {}, leaves: {} };
    define(diff.joins, key, [meta]);
    if (before) define(diff.leaves, key, [before.meta]);
    return diff;
  }

  /** Removes a presence; undefined when there was none. */
  untrack(owner: object): PresenceDiff | undefined {
    const before = this.#tracked.get(owner);
    if (!before) return undefined;
    this.#tracked.delete(owner);
    const diff: PresenceDiff = { joins: {}, leaves: {} };
    define(diff.leaves, before.key, [before.meta]);
    return diff;
  }
}

/** Sets a key chosen by a client: `__proto__` must become an ordinary property. */
function define(state: PresenceState, key: string, metas: Meta[]): void {
  Object.defineProperty(state, key, {
    value: { metas },
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
