/**
 * Owns the record of the last requests, in memory only. Recording keeps references and makes no text; a record becomes
 * readable when somebody reads it.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../core/record.ts";
import { follow, Ring, type RingPart } from "../core/ring.ts";
import { Utf8Text, type Value } from "../postgres/pipeline/wire.ts";
import { callerOf, callerRoleOf, type ReadRecord, type RecordedError } from "./read-record.ts";
import { type Target, withoutValues, withoutValuesIn, withoutValuesOfQuery } from "./shown-values.ts";

export { callerOf, callerRoleOf, type ReadRecord, type RecordedError } from "./read-record.ts";

/** The main statement of a request, with what its transaction has set. */
export interface Ran {
  readonly text: string;
  readonly values: readonly Value[];
  readonly role: string;
  /** The value of `request.jwt.claims`: JSON. */
  readonly claims: string;
  readonly searchPath: string;
  readonly readOnly: boolean;
  /** The headers of `ownHeaders`; undefined for none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the request names, of which the schema says whose the values are; undefined for Storage. */
  readonly target?: Target | undefined;
}

/** The headers that the database's policies, functions and views read, and `Prefer`; undefined for none. */
export function ownHeaders(
  headers: IncomingHttpHeaders,
  read: readonly string[],
): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const name of read) {
    const value = headers[name];
    if (typeof value !== "string") continue;
    found ??= {};
    found[name] = value;
  }
  const { prefer } = headers;
  return typeof prefer === "string" ? { ...found, prefer } : found;
}

/** One request, filled in on its way. */
export class RequestRecord {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  query: string;
  /** `performance.now()` at its beginning, and the milliseconds until its response. */
  readonly begun: number = performance.now();
  took = 0;
  /** Undefined for one that no route took. */
  service: string | undefined;
  status = 0;
  /** The number of rows in the response. */
  rows: number | undefined;
  /** Length of the response's body; undefined for a stream. */
  bytes: number | undefined;
  /** SQLSTATE, or the service's own code. */
  code: string | undefined;
  /** The role that REST found in the token, also when no statement ran. */
  role: string | undefined;
  /** The id of the request that a function answered when it made this one. */
  parent: string | undefined;
  ran: Ran | undefined;
  /** The claims of the verified token or key, as JSON or read, where no statement has them; of a sign-in, those of the new token. */
  claims: string | Readonly<Record<string, unknown>> | undefined;
  /** What it uses that hosted's version of the service does not have, one sentence each, without values. */
  later: readonly string[] | undefined;
  /** The body of a request to Storage that is JSON: names, never bytes of objects. */
  body: string | undefined;
  /** The response's body, by reference, where the status is 400 or more. */
  failure: string | Buffer | undefined;
  /** Whether values were too large to be kept. */
  reduced = false;
  /** What it counts for in the bound of all records. */
  held = 0;

  constructor(id: string, method: string, path: string, query: string) {
    this.id = id;
    this.method = method;
    this.path = path;
    this.query = query;
  }
}

/** A record without what ran. */
export interface RequestSummary extends Omit<ReadRecord, "claims" | "statement"> {
  /** Email, phone and id of the user, as far as the token has them; only where `callers` was asked for. */
  caller?: string[];
  /** The role of the token or key, also where no statement ran as it; only where `callers` was asked for. */
  callerRole?: string | undefined;
}

/** A part of the record. */
export interface RecordList extends RingPart {
  records: RequestSummary[];
}

/** Which records, and from where on. */
export interface RecordFilter {
  /** The `cursor` of an earlier answer: only later records. */
  after?: number;
  /** The last so many. */
  limit?: number;
  service?: string;
  /** Statuses of 400 and more only. */
  failed?: boolean;
  /** Whether records name the user. */
  callers?: boolean;
}

const MAX_RECORDS = 5_000;
const MAX_BYTES = 16 * 1024 ** 2;
const MAX_VALUE = 16 * 1024;
/** Of the body of a response of 400 and more. */
const MAX_FAILURE = 2 * 1024;
/** A record without its texts. */
const OWN_BYTES = 400;
/** Of a request to REST that it did not plan. */
const UNPLANNED: Target = { parameters: [] };

/** The last requests of one server. */
export class RequestRecords {
  readonly #ring: Ring<RequestRecord>;
  /** Called after each record. */
  onRecord: ((record: RequestRecord) => void) | undefined;

  constructor(capacity: number = MAX_RECORDS) {
    this.#ring = new Ring(capacity, MAX_BYTES);
  }

  /** Keeps a finished request; the oldest ones give way. */
  add(record: RequestRecord): void {
    record.took = performance.now() - record.begun;
    reduce(record);
    this.#ring.add(record);
    this.onRecord?.(record);
  }

  /** Without values, in order of their ends. */
  list({ after, limit, service, failed, callers = false }: RecordFilter = {}): RecordList {
    const matches = (record: RequestRecord) =>
      (service === undefined || record.service === service) && (!failed || record.status >= 400);
    const { entries, cursor, lost } = this.#ring.list(matches, after, limit);
    return { records: entries.map((record) => summaryOf(record, callers)), cursor, lost };
  }

  /** What comes after a cursor, in batches, until the signal. */
  follow(filter: RecordFilter, signal: AbortSignal): AsyncGenerator<RecordList> {
    return follow(
      (after) => this.list({ ...filter, after }),
      filter.after ?? this.#ring.cursor,
      ({ records }) => records.length === 0,
      signal,
    );
  }

  /** One request as it may be shown. @param id the whole id, or a unique beginning. */
  get(id: string): ReadRecord | undefined {
    const found = this.#find(id);
    return found && withoutValues(readRecord(found), found.ran?.target);
  }

  /** One request with its values, for running it again and for the terminal of whoever asks for them. */
  withValues(id: string): ReadRecord | undefined {
    const found = this.#find(id);
    return found && readRecord(found);
  }

  /** The body of a response of 400 and more, as it was sent; undefined where it was longer than 2 KB. */
  failureOf(id: string): string | undefined {
    return this.#find(id)?.failure?.toString();
  }

  #find(id: string): RequestRecord | undefined {
    const { entries } = this.#ring.list((record) => record.id.startsWith(id), undefined, 2);
    return entries.length === 1 ? entries[0] : undefined;
  }
}

/** Drops what may not be kept, and counts the rest. */
function reduce(record: RequestRecord): void {
  const { ran, query } = record;
  // It is among the values of what ran.
  record.body = undefined;
  const { failure } = record;
  // A longer one is no error of a service, and a part of it would be no JSON.
  if (failure !== undefined && failure.length > MAX_FAILURE) record.failure = undefined;
  let held = OWN_BYTES + 2 * (record.path.length + query.length + (record.failure?.length ?? 0));
  // Only what REST has asked the database is run again by its query; others may have keys and tokens there.
  if (query !== "" && !(record.service === "rest" && ran)) {
    record.query = withoutValuesOfQuery(query, record.service === "rest" ? UNPLANNED : undefined);
    if (record.failure !== undefined) record.failure = withoutValuesIn(record.failure.toString(), query);
  }
  if (record.claims !== undefined && !ran) {
    if (typeof record.claims === "object") record.claims = JSON.stringify(record.claims);
    held += 2 * record.claims.length;
  } else record.claims = undefined;
  if (ran) {
    held += 2 * (ran.text.length + ran.claims.length);
    for (const name in ran.headers) held += 2 * (ran.headers[name]?.length ?? 0);
    for (const value of ran.values) {
      const bytes = value instanceof Utf8Text ? value.bytes : value;
      if (bytes === null) continue;
      if (bytes.length > MAX_VALUE) record.reduced = true;
      // A short Buffer may hold the whole block that it was read into.
      else held += typeof bytes === "string" ? 2 * bytes.length : bytes.buffer.byteLength;
    }
    if (record.reduced) {
      record.ran = { ...ran, values: [] };
      held =
        OWN_BYTES +
        2 * (record.path.length + query.length + ran.text.length + ran.claims.length) +
        2 * (record.failure?.length ?? 0);
    }
  }
  record.held = held;
}

function valueText(value: Value): string | null {
  return value instanceof Utf8Text ? value.bytes.toString() : (value?.toString() ?? null);
}

/** Postgres's messages of a refusal (aclchk.c, execMain.c). */
const BY_POLICY =
  /^new row violates row-level security policy(?: \(USING expression\))?(?: ".*")? for table "(.+)"$/;
const BY_GRANT =
  /^permission denied for (?:table|view|materialized view|sequence|schema|function|foreign table|column) (.+)$/;

/** The error in a response's body, by the names that the services give its members; undefined where there is none. */
function errorIn(failure: string | Buffer | undefined): RecordedError | undefined {
  if (failure === undefined) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(failure.toString());
  } catch {
    return undefined;
  }
  if (!isRecord(body)) return undefined;
  const message = [body.message, body.msg, body.error_description, body.error].find(
    (one) => typeof one === "string",
  );
  if (typeof message !== "string") return undefined;
  const [, policys] = BY_POLICY.exec(message) ?? [];
  const [, grants] = BY_GRANT.exec(message) ?? [];
  return {
    message,
    ...(typeof body.hint === "string" ? { hint: body.hint } : {}),
    ...(policys === undefined ? {} : { refused: { name: policys, by: "policy" } }),
    ...(grants === undefined ? {} : { refused: { name: grants, by: "grant" } }),
  };
}

/** @param values whether claims and values are read as well. */
function readRecord(record: RequestRecord, values = true): ReadRecord {
  const {
    id,
    begun,
    took,
    service,
    method,
    path,
    query,
    status,
    rows,
    bytes,
    code,
    parent,
    ran,
    reduced,
    later,
  } = record;
  return {
    id,
    at: new Date(performance.timeOrigin + begun).toISOString(),
    milliseconds: Math.round(took * 100) / 100,
    service,
    method,
    path,
    query,
    status,
    rows,
    bytes,
    code,
    error: errorIn(record.failure),
    parent,
    role: ran?.role,
    claims: values ? claimsOf(record) : undefined,
    statement:
      values && ran && !reduced
        ? {
            text: ran.text,
            values: ran.values.map(valueText),
            searchPath: ran.searchPath,
            readOnly: ran.readOnly,
            headers: ran.headers ?? {},
          }
        : undefined,
    replayable: ran !== undefined && !reduced,
    ...(later ? { later } : {}),
  };
}

/** A request without a response, as it may be shown, with its milliseconds so far. */
export function unfinished(record: RequestRecord): RequestSummary {
  const { query, begun } = record;
  return {
    ...summaryOf(record, true),
    query: query === "" ? "" : withoutValuesOfQuery(query, undefined),
    milliseconds: performance.now() - begun,
  };
}

function summaryOf(record: RequestRecord, callers: boolean): RequestSummary {
  // Only an error's text may quote claims and values, so they are not read for others.
  const whole = readRecord(record, record.failure !== undefined);
  const { claims: _, statement: __, ...summary } = withoutValues(whole, record.ran?.target);
  if (!callers) return summary;
  const known = whole.claims ?? claimsOf(record);
  return { ...summary, caller: callerOf(known), callerRole: summary.role ?? callerRoleOf(known) };
}

function claimsOf({ ran, claims }: RequestRecord): Record<string, unknown> | undefined {
  const known = ran?.claims ?? claims ?? "";
  return typeof known === "object" ? known : known === "" ? undefined : JSON.parse(known);
}
