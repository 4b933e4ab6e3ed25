/**
 * Owns the feed's streams. They read the record of requests by a timer while a page listens; a request tells them
 * nothing, so that it costs the same with and without a page.
 */
import { Readable } from "node:stream";
import { errorBoundary } from "../../../src/core/error-boundary.ts";
import type { Happenings } from "../../../src/core/happenings.ts";
import type { Log } from "../../../src/core/log.ts";
import type { RequestRecords } from "../../../src/http/records.ts";
import type { Cursor, FeedPart } from "./api.ts";
import { CallRefused } from "./call-refused.ts";
import { filterOf } from "./filter.ts";
import { happenedAfter, happenedRow, happenedTold, repeats } from "./happened.ts";
import type { Source } from "./owner-connections.ts";
import { isHidden, rowOf } from "./request-lines.ts";
import { callsOf, runningRow, runningTold } from "./running.ts";
import { type Told, toldOf } from "./told.ts";

const TICK_MS = 50;
/** A page that hears nothing for longer takes the stack for dead. */
const MOST_SILENT_TICKS = 100;
/** In one part; the rest is counted. */
const MOST_ROWS = 100;
/** Runs of jobs that have room beside all else that happened. */
const LEAST_JOBS = 12;
/** Records that one part looks through: all of them at the beginning, and later more with a filter than without. */
const MOST_LOOKED_AT = 1_000;
const MOST_AT_FIRST = 5_000;
/** A page that reads no faster gets no more until it has read. */
const MOST_UNSENT = 256 * 1024;
const MOST_STREAMS = 16;
const MOST_FILTER = 500;

export class Feed {
  readonly #source: Source;
  readonly #requests: RequestRecords;
  readonly #happenings: Happenings;
  readonly #streams = new Set<Readable>();
  readonly #log: Log;

  constructor(source: Source, log: Log) {
    this.#source = source;
    this.#requests = source.backend.requests;
    this.#happenings = source.backend.happenings;
    this.#log = log;
  }

  /** Reads what a filter matches behind a cursor. @throws CallRefused */
  reader(filter: string): (after: Cursor) => FeedPart {
    if (filter.length > MOST_FILTER)
      throw new CallRefused(400, `A filter has at most ${MOST_FILTER} characters.`);
    const matches = filterOf(filter);
    return (after) => {
      const calls = callsOf(this.#source).filter((call) => matches(runningTold(call)));
      const running = calls.slice(-MOST_ROWS).map(runningRow);
      const replaced = this.#source.backend.suspensions;
      return { ...this.#part(after, matches, filter.trim() !== ""), running, replaced };
    };
  }

  /** A stream of parts, as lines of JSON, that begins behind `after`. @throws CallRefused */
  open(after: Cursor, filter: string, signal: AbortSignal): Readable {
    const read = this.reader(filter);
    if (this.#streams.size >= MOST_STREAMS) throw new CallRefused(429, "Too many pages listen already.");
    const stream = new Readable({ read: () => {}, highWaterMark: MOST_UNSENT });
    let cursor = after;
    let known: string | undefined;
    let silent = 0;
    const tick = () => {
      if (stream.readableLength >= MOST_UNSENT) return;
      const part = read(cursor);
      const calls = part.running.map(({ id, outcome }) => `${id} ${outcome}`);
      const now = [...calls, part.replaced.count, part.replaced.now].join();
      const same = now === known && part.cursor[0] === cursor[0] && part.cursor[1] === cursor[1];
      silent += 1;
      if (same && silent < MOST_SILENT_TICKS) return;
      [cursor, known, silent] = [part.cursor, now, 0];
      stream.push(`${JSON.stringify(part)}\n`);
    };
    tick();
    const timer = setInterval(errorBoundary(this.#log, "the feed of the console", tick), TICK_MS).unref();
    this.#streams.add(stream);
    const end = () => {
      clearInterval(timer);
      this.#streams.delete(stream);
    };
    stream.once("close", end);
    signal.addEventListener("abort", () => stream.destroy(), { once: true });
    return stream;
  }

  #part(
    [after, besides]: Cursor,
    matches: (told: Told) => boolean,
    filtered: boolean,
  ): Omit<FeedPart, "running" | "replaced"> {
    const first = after === 0 && besides === 0;
    const limit = first ? MOST_AT_FIRST : filtered ? MOST_LOOKED_AT : MOST_ROWS;
    const { records, cursor } = this.#requests.list({ after, limit, callers: true });
    const begun = Math.min(after, cursor);
    // Those that failed are what a reader looks for, so they are sent although others are left out.
    const missed = cursor - begun > records.length && !first;
    const failed = missed
      ? this.#requests.list({ after, limit: MOST_ROWS / 2, failed: true, callers: true }).records
      : [];
    const known = new Set(failed.map(({ id }) => id));
    const all = [...failed, ...records.filter(({ id }) => !known.has(id)).slice(failed.length)];
    const requests = all
      .filter((record) => !isHidden(record))
      .map((record) => ({ told: toldOf(record), row: () => rowOf(record) }));
    const happened = happenedAfter(this.#happenings, besides);
    const others = happened.found
      .filter((one) => !repeats(one))
      .map((one) => ({ told: happenedTold(one), row: () => happenedRow(one) }));
    const told = [...requests, ...others];
    const met = told.filter((one) => matches(one.told));
    // Log lines are many, and so leave room for requests; and jobs, which may run each second, for log lines.
    const [jobs = [], rest = []] = [true, false].map((job) =>
      others.filter((one) => (one.told.kind === "job") === job && matches(one.told)),
    );
    const kept = rest.slice(-(MOST_ROWS / 2 - Math.min(jobs.length, LEAST_JOBS)));
    const besideRows = [...kept, ...jobs.slice(kept.length - MOST_ROWS / 2)];
    const rows = [
      ...met.filter(({ told: { kind } }) => kind === "request").slice(besideRows.length - MOST_ROWS),
      ...besideRows,
    ];
    const count = (is: (one: Told) => boolean) => told.filter((one) => is(one.told)).length;
    return {
      cursor: [cursor, happened.cursor],
      // A page that opens does not ask for what the stack kept before.
      leftOut: (first ? 0 : cursor - begun - all.length + happened.lost) + met.length - rows.length,
      hidden: all.length - requests.length,
      others: told.length - met.length,
      failed: count((one) => one.failed),
      empty: count((one) => one.empty),
      mails: count(({ kind }) => kind === "mail"),
      rows: rows.map(({ row }) => row()).sort((one, other) => one.at - other.at),
    };
  }

  close(): void {
    for (const stream of this.#streams) stream.push(null);
  }
}
