/** Owns what the page knows of the feed: its rows, and whether the stack still answers. Outside of React, which reads it. */
import type { About, Cursor, FeedPart, Row } from "../../server/api.ts";
import { admit, CallFailed, introduced, listen, whenAwake } from "./way-in.ts";

export type Connection =
  | { kind: "entering" }
  /** No token, or a used link; `message` says which. */
  | { kind: "locked"; message?: string }
  | { kind: "live" }
  | { kind: "stopped"; since: number }
  /** The stack was started again: its token is another. `message`: why a link did not let in. */
  | { kind: "again"; message?: string }
  | { kind: "other" };

export interface FeedState {
  connection: Connection;
  about?: About;
  filter: string;
  /** By their beginnings. */
  rows: readonly Row[];
  /** Calls that have not been answered yet. */
  running: readonly Row[];
  /** Whether the first part is here. */
  loaded: boolean;
  leftOut: number;
  hidden: number;
  others: number;
  failed: number;
  empty: number;
  mails: number;
  /** How many requests came when, in the last minute. */
  arrivals: readonly (readonly [at: number, count: number])[];
  /** Rows that wait while the feed is paused. */
  waiting: readonly Row[];
  paused: boolean;
  /** Later calls that run wait as well. */
  pausedAt: number;
  /** Rows that began earlier are not shown. */
  cleared: number;
  /** As in `FeedPart`; undefined before the first. */
  replaced?: FeedPart["replaced"];
  /** How often that was since the page was opened. */
  replacements: number;
}

/** Counts that begin anew with a filter, and when the feed is cleared. */
const NOTHING = { leftOut: 0, hidden: 0, others: 0, failed: 0, empty: 0, mails: 0 };
const BEGIN: Cursor = [0, 0];
const MINUTE_MS = 60_000;
/** As many as the stack keeps. */
const MOST_ROWS = 5_000;
const KNOCK_MS = 1_000;
/** A browser gives an origin six connections, so a tab that nobody sees gives its own back. */
const HIDDEN_MS = 5_000;
/** Three times the stack's own pause: a stack that hangs, or a connection that is dead without an end, sends nothing. */
const SILENT_MS = 15_000;
/** A row that ends late takes its place among those of this long before the newest. */
const LATE_MS = 2_000;

export class FeedStore {
  state: FeedState;
  #cursor: Cursor = BEGIN;
  #stream: AbortController | undefined;
  /** Whether the first part is cleared as soon as it is here. */
  #clears = false;
  readonly #listeners = new Set<() => void>();

  constructor(filter: string) {
    this.state = {
      connection: { kind: "entering" },
      filter,
      rows: [],
      running: [],
      loaded: false,
      ...NOTHING,
      arrivals: [],
      waiting: [],
      paused: false,
      pausedAt: Number.POSITIVE_INFINITY,
      cleared: 0,
      replacements: 0,
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  read = (): FeedState => this.state;

  /** Enters, and listens until the page is closed. */
  async start(code: string | undefined): Promise<void> {
    whenAwake(
      () => void this.#enter(undefined),
      () => this.#change({ connection: { kind: "other" } }),
      (pasted) => void this.#enter(pasted),
    );
    let leaving: ReturnType<typeof setTimeout> | undefined;
    document.addEventListener("visibilitychange", () => {
      clearTimeout(leaving);
      if (document.hidden) leaving = setTimeout(() => this.#stream?.abort(), HIDDEN_MS);
      else if (this.#stream?.signal.aborted && this.state.connection.kind === "live") void this.#listen();
    });
    await this.#enter(code);
  }

  filterBy(filter: string): void {
    if (filter === this.state.filter) return;
    this.#cursor = BEGIN;
    this.#clears = false;
    this.#change({ filter, rows: [], running: [], waiting: [], loaded: false, cleared: 0, ...NOTHING });
    if (this.state.connection.kind === "live") void this.#listen();
  }

  pause(): void {
    const { paused, waiting, rows } = this.state;
    const pausedAt = paused ? Number.POSITIVE_INFINITY : Date.now();
    this.#change({
      paused: !paused,
      pausedAt,
      ...(paused ? { rows: merged(rows, waiting), waiting: [] } : {}),
    });
  }

  clear(): void {
    this.#clears = !this.state.loaded;
    const newest = [...this.state.rows.slice(-1), ...this.state.running].map(({ at }) => at);
    this.#change({ cleared: Math.max(0, ...newest) + 1, ...NOTHING });
  }

  showAll(): void {
    this.#change({ cleared: 0 });
  }

  async #enter(code: string | undefined): Promise<void> {
    const known = this.state.about;
    try {
      const entered = await admit(code, this.state.filter);
      // The first rows do not wait for the stack's facts.
      let listens = known === undefined && !entered;
      if (listens) void this.#listen().then(() => (listens = false));
      const about = await introduced(entered);
      if (known && known.project !== about.project) {
        // The reader has opened its link here.
        if (entered) location.reload();
        return this.#change({ connection: { kind: "other" } });
      }
      // Another start of the stack counts from the beginning.
      const anew = known?.began !== about.began;
      if (known && anew) this.#cursor = BEGIN;
      const { connection, replacements } = this.state;
      // What failed meanwhile is asked for again.
      const back = known !== undefined && connection.kind !== "live" ? 1 : 0;
      this.#change({ connection: { kind: "live" }, about, replacements: replacements + back });
      if (entered && anew) this.#take(entered.part);
      if (!listens) void this.#listen();
    } catch (error) {
      this.#failed(error, code !== undefined);
    }
  }

  async #listen(): Promise<void> {
    this.#stream?.abort();
    const stream = new AbortController();
    this.#stream = stream;
    const silent = () => stream.abort(new CallFailed(0, "The stack sends nothing."));
    let silence = setTimeout(silent, SILENT_MS);
    try {
      for await (const part of listen(this.#cursor, this.state.filter, stream.signal)) {
        if (stream !== this.#stream) return;
        clearTimeout(silence);
        silence = setTimeout(silent, SILENT_MS);
        this.#take(part);
      }
    } catch (error) {
      const ended = !stream.signal.aborted || stream.signal.reason instanceof CallFailed;
      // Before that `introduced` fails as well, and says so.
      if (ended && this.state.connection.kind === "live") this.#failed(error, false);
    } finally {
      clearTimeout(silence);
    }
  }

  #take(part: FeedPart): void {
    const first = this.#cursor === BEGIN;
    this.#cursor = part.cursor;
    const { state } = this;
    const { rows, waiting, paused, replaced: before } = state;
    // A row that is seen becomes its record where it stands.
    const seen = new Set(runningOf(state).map(({ id }) => id));
    const now = paused ? part.rows.filter(({ id }) => seen.has(id)) : part.rows;
    const later = paused ? part.rows.filter(({ id }) => !seen.has(id)) : [];
    this.#change({
      loaded: true,
      replaced: part.replaced,
      replacements: state.replacements + (before && before.count !== part.replaced.count ? 1 : 0),
      leftOut: state.leftOut + part.leftOut,
      hidden: state.hidden + part.hidden,
      others: state.others + part.others,
      failed: state.failed + part.failed,
      empty: state.empty + part.empty,
      mails: state.mails + part.mails,
      arrivals: first ? arrivalsOf(part.rows) : withArrivals(state.arrivals, part),
      running: part.running,
      ...(now.length > 0 ? { rows: merged(rows, now, seen) } : {}),
      ...(later.length > 0 ? { waiting: merged(waiting, later) } : {}),
    });
    if (this.#clears) this.clear();
  }

  #failed(error: unknown, byLink: boolean): void {
    const { connection, about } = this.state;
    // The token of before holds, though the link of now does not.
    if (byLink && connection.kind === "live") return;
    // Whether they still run is not known.
    this.#change({ running: [] });
    const status = error instanceof CallFailed ? error.status : 0;
    const message = byLink && error instanceof Error ? { message: error.message } : {};
    if (status === 0 && !(about === undefined && byLink)) {
      this.#change({
        connection: connection.kind === "stopped" ? connection : { kind: "stopped", since: Date.now() },
      });
      setTimeout(() => void this.#enter(undefined), KNOCK_MS);
    } else this.#change({ connection: { kind: about ? "again" : "locked", ...message } });
  }

  #change(change: Partial<FeedState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Of the rows that came before the page was opened. */
function arrivalsOf(rows: readonly Row[]): FeedState["arrivals"] {
  return rows.filter(({ at }) => at > Date.now() - MINUTE_MS).map(({ at }) => [at, 1]);
}

function withArrivals(arrivals: FeedState["arrivals"], part: FeedPart): FeedState["arrivals"] {
  const now = Date.now();
  const count = part.rows.length + part.others + part.leftOut;
  return [...arrivals.filter(([at]) => at > now - MINUTE_MS), [now, count]];
}

/** Calls that run, of which those that began after a pause wait. */
export function runningOf({ running, pausedAt, cleared }: FeedState): Row[] {
  return running.filter(({ at }) => at < pausedAt && at >= cleared);
}

/**
 * Rows in the order of their beginnings; a late one goes back a little only, so that what is read stays in place.
 * @param placed ids of rows that go to their place
 */
export function merged(
  rows: readonly Row[],
  more: readonly Row[],
  placed: ReadonlySet<string> = new Set(),
): Row[] {
  const all = [...rows];
  const known = new Set(rows.slice(-MOST_ROWS).map(({ id }) => id));
  for (const row of more) {
    if (known.has(row.id)) continue;
    const earliest = placed.has(row.id) ? 0 : (all.at(-1)?.at ?? 0) - LATE_MS;
    let at = all.length;
    for (let before = all[at - 1]; before && before.at > row.at && before.at > earliest; before = all[at - 1])
      at -= 1;
    all.splice(at, 0, row);
  }
  return all.slice(-MOST_ROWS);
}
