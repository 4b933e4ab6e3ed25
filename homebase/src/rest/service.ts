/**
 * Owns the REST service: a request passes through parse, plan, sql, execute, respond; no stage refers to a
 * later one.
 */

import {
  type AdmitBody,
  BodyBroken,
  BodyTooLarge,
  BodyTooSlow,
  isArriving,
  readBody,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import { ownHeaders } from "../http/records.ts";
import { ForeignRefused } from "../http/secret-rights.ts";
import type { BatchRows } from "../postgres/pipeline/connection.ts";
import type { ServiceContext } from "../service-context.ts";
import { RestError, restErrors } from "./errors.ts";
import { decodeExplanation, decodePlannedRows, decodeResult } from "./execute/result.ts";
import { type Caller, identify } from "./execute/role-and-claims.ts";
import { Executor, type Transaction } from "./execute/run-as-caller.ts";
import { preludeOf } from "./execute/transaction-settings.ts";
import { needsBytes } from "./header-text.ts";
import {
  DESCRIPTION_PATH,
  DESCRIPTION_QUERY,
  type DescribedRoutine,
  type Description,
  ROUTINES_QUERY,
  VISIBLE_QUERY,
} from "./openapi/description-query.ts";
import { describeSchema } from "./openapi/document.ts";
import { findDocument, keepDocument } from "./openapi/documents.ts";
import { handlersFor } from "./plan/handler.ts";
import type { Plan } from "./plan/plan.ts";
import { infoTarget, planRequest } from "./plan/planned-request.ts";
import { mayOverrideEnd, type RestOptions, type RestSettings, restOptions } from "./postgrest-settings.ts";
import { VERSION } from "./postgrest-version.ts";
import { LargeBodies } from "./request/large-bodies.ts";
import { negotiate, negotiateRoot, type Representation } from "./request/media-type.ts";
import { parseRequest, type RestRequest } from "./request/parsed-request.ts";
import { laterNotes, type NoteLater } from "./respond/later-than-hosted.ts";
import { profileOf, respond, respondError, respondInfo } from "./respond/respond.ts";
import { Stopwatch } from "./respond/stopwatch.ts";
import type { SchemaCache } from "./schema/schema-cache.ts";
import { SchemaSource, type Snapshot } from "./schema/source.ts";
import { type WrittenStatement, writeStatement } from "./sql/statement.ts";

/** The service of a Backend. The schema cache loads while other services start. */
export function createRestService(context: ServiceContext): RestService {
  return openRestService(restOptions(context));
}

/** The service, with the methods that its owner needs. */
export interface RestService extends Service {
  /** The current settings. */
  readonly settings: RestSettings;
  /** Whether the schema cache is loaded and notifications are active. */
  readonly ready: boolean;
  /** The inputs of planning; undefined before the first load. */
  readonly cache: SchemaCache | undefined;
  /** The counters as Prometheus's text. */
  metrics(): string;
  /** Waits for the first load of schema and settings. @throws RestError PGRST002 */
  loaded(): Promise<void>;
  /** Rereads schema and settings. */
  reload(): Promise<void>;
  /** Rereads the settings, but not the schema. */
  reloadSettings(): Promise<void>;
}

// The emulated version; some clients read it to detect features.
const SERVER = `postgrest/${VERSION}`;
/** Of every response but errors; a function may set another. */
const VARY = "Accept, Prefer, Range";

/** The service without a Backend, for any Postgres. */
export function openRestService(options: RestOptions): RestService {
  const source = new SchemaSource(options);
  const executor = new Executor(options);
  const large = new LargeBodies(options.log);
  const noteLater = laterNotes(options);
  source.start();
  const settings = () => source.current?.settings ?? options.settings;
  return {
    async handle(request) {
      let response: ServiceResponse;
      const place = large.place(() => isArriving(request.body));
      try {
        response = await answer(request, options, source, executor, noteLater, place.admit);
        response.headers.vary ??= VARY;
      } catch (error) {
        if (error instanceof ForeignRefused) throw error;
        if (options.metrics && error instanceof RestError && error.code === "PGRST003")
          options.metrics.poolTimeouts += 1;
        const known = asRestError(error, options);
        options.observer?.requestFailed(known);
        if (request.record) request.record.code = known.code;
        response = respondError(known, request.method === "HEAD", settings().verbosity);
      } finally {
        place.leave();
      }
      response.headers.server ??= SERVER;
      const traceHeader = settings().traceHeader?.toLowerCase();
      if (traceHeader !== undefined) response.headers[traceHeader] ??= request.headers[traceHeader] ?? "";
      // Node encodes headers and a text body together as UTF-8; a body of bytes leaves the headers unchanged.
      if (typeof response.body === "string" && needsBytes(response.headers))
        response.body = Buffer.from(response.body, "utf8");
      return response;
    },
    get settings() {
      return settings();
    },
    get ready() {
      return source.ready;
    },
    get cache() {
      return source.current?.cache;
    },
    metrics: () => options.metrics?.toText(options.pool) ?? "",
    async loaded() {
      await source.get();
    },
    reload: async () => void (await source.refresh()),
    reloadSettings: () => source.refreshSettings(),
    close: () => source.close(),
  };
}

function asRestError(error: unknown, options: RestOptions): RestError {
  if (error instanceof RestError) return error;
  if (error instanceof BodyBroken) return restErrors.invalidJson();
  if (error instanceof BodyTooSlow) return restErrors.bodyTooSlow();
  if (error instanceof BodyTooLarge) return restErrors.bodyTooLarge(error.limit);
  options.log.error("A request failed unexpectedly.", {
    reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return restErrors.internal("An unexpected error happened; the log has it.");
}

async function answer(
  http: ServiceRequest,
  options: RestOptions,
  source: SchemaSource,
  executor: Executor,
  noteLater: NoteLater,
  admit: AdmitBody,
): Promise<ServiceResponse> {
  const snapshot = source.current ?? (await source.get());
  const watch = snapshot.settings.serverTiming ? new Stopwatch() : undefined;
  const caller = await identify(http, options, snapshot.settings);
  if (http.record) [http.record.role, http.record.claims] = [caller.role, caller.claims];
  watch?.lap("jwt");
  const request = await parseRequest(http, snapshot.settings, () => readBody(http, options.bodyLimit, admit));
  watch?.lap("parse");
  if (request.action === "info") return timed(respondInfo(await infoOf(request, source, snapshot)), watch);
  if (request.action === "inspect") {
    await noteLater(http, request, undefined, snapshot.settings);
    return timed(await inspect(http, request, snapshot, caller, executor, watch), watch);
  }
  const { plan, latest } = await planned(request, source, snapshot);
  const { settings } = latest;
  const representation = negotiate(request.accept, {
    plan: settings.plan,
    handler: handlersFor(plan, request.parameters.select, latest.cache),
  });
  checkPreferences(request);
  const statement = writeStatement(plan, {
    representation,
    bare: request.headersOnly || (plan.kind === "write" && request.preferences.return !== "representation"),
    count: request.preferences.count,
    maxRows: settings.maxRows,
  });
  const transaction = prepare(http, request, plan, latest, caller, statement, representation);
  watch?.lap("plan");
  note(http, plan, transaction, caller, latest.cache.headers);
  await noteLater(http, request, plan, settings);
  const answers = await executor.run(transaction);
  watch?.lap("transaction");
  const profiled = settings.schemas.length > 1 || request.profiled;
  if (representation.kind === "plan") {
    const headers = { "content-type": representation.contentType, ...profileOf(request, profiled) };
    return { status: 200, headers, body: decodeExplanation(answers) };
  }
  const result = decodeResult(answers);
  if (http.record) http.record.rows = result.rows;
  const response = respond({
    request,
    plan,
    representation,
    result,
    planned: decodePlannedRows(answers),
    maxRows: settings.maxRows,
    profiled,
    txOverride: mayOverrideEnd(settings),
  });
  return timed(response, watch);
}

/** Notes what runs, by reference. The transaction's settings hold all of the request's headers, so they are not kept. */
function note(
  { record, headers }: ServiceRequest,
  plan: Plan,
  { settings, statements, readOnly }: Transaction,
  { role, claims }: Caller,
  read: readonly string[],
): void {
  if (!record) return;
  const { text, values } = statements[0] ?? { text: "", values: [] };
  record.ran = {
    text,
    values,
    role,
    claims,
    searchPath: settings[0]?.[1] ?? "",
    readOnly,
    headers: ownHeaders(headers, read),
    target: plan.kind === "call" ? plan.routine : plan.kind === "write" ? plan.table : plan.root.relation,
  };
}

/** The response with measurements, if any. */
function timed(response: ServiceResponse, watch: Stopwatch | undefined): ServiceResponse {
  if (watch) {
    watch.lap("response");
    response.headers["server-timing"] = watch.toString();
  }
  return response;
}

const STALE = new Set(["PGRST200", "PGRST202", "PGRST204", "PGRST205"]);

/**
 * Plans a request, and once more with a fresh cache when an object is missing: a table is visible as soon as
 * it is committed, even before its notification arrives.
 */
async function planned(
  request: RestRequest,
  source: SchemaSource,
  snapshot: Snapshot,
): Promise<{ plan: Plan; latest: Snapshot }> {
  const plan = (latest: Snapshot) => ({
    plan: planRequest(request, latest.cache, latest.settings),
    latest,
  });
  try {
    return plan(snapshot);
  } catch (error) {
    if (!isStale(error)) throw error;
  }
  return plan((await source.renewed(snapshot)) ?? snapshot);
}

function isStale(error: unknown): boolean {
  return error instanceof RestError && STALE.has(error.code);
}

async function infoOf(request: RestRequest, source: SchemaSource, snapshot: Snapshot) {
  try {
    return infoTarget(request, snapshot.cache);
  } catch {
    return infoTarget(request, ((await source.renewed(snapshot)) ?? snapshot).cache);
  }
}

/** The OpenAPI description of the request's schema, limited to what the caller may access. */
async function inspect(
  http: ServiceRequest,
  request: RestRequest,
  { settings, cache }: Snapshot,
  caller: Caller,
  executor: Executor,
  watch: Stopwatch | undefined,
): Promise<ServiceResponse> {
  if (settings.openApi === "disabled") throw restErrors.rootDisabled();
  negotiateRoot(request.accept);
  watch?.lap("plan");
  const role = cache.roles.get(caller.role);
  const follows = settings.openApi === "follow-privileges";
  const asked = [request.schema, String(follows)];
  const address = new URL(settings.openApiProxy ?? `http://${http.headers.host ?? "localhost"}`);
  const wanted = { schema: request.schema, address, security: settings.openApiSecurity };
  const read = (statements: Transaction["statements"]) =>
    executor.run({
      isolation: role?.isolation ?? "read committed",
      readOnly: true,
      ...preludeOf(http, request, { settings, cache }, caller),
      statements,
      end: "commit",
      anonymous: caller.anonymous,
      shareable: false,
      prepared: settings.preparedStatements,
      signal: () => http.signal,
    });
  const [visible] = await read([{ text: VISIBLE_QUERY, values: asked }]);
  let document = findDocument(cache, wanted, String(visible?.[0]?.text(0)));
  if (document === undefined) {
    const [routines, , rows] = await read([
      { text: ROUTINES_QUERY, values: asked },
      { text: DESCRIPTION_PATH, values: [] },
      { text: DESCRIPTION_QUERY, values: asked },
    ]);
    const description = JSON.parse(String(rows?.[0]?.text(0))) as Description;
    const described = JSON.parse(String(routines?.[0]?.text(0))) as DescribedRoutine[];
    document = JSON.stringify(describeSchema(description, described, cache, wanted));
    keepDocument(cache, wanted, description, described, document);
  }
  watch?.lap("transaction");
  const profiled = settings.schemas.length > 1 || request.profiled;
  return {
    status: 200,
    headers: {
      "content-type": "application/openapi+json; charset=utf-8",
      ...profileOf(request, profiled),
    },
    body: request.headersOnly ? null : document,
  };
}

function checkPreferences({ preferences }: RestRequest): void {
  if (preferences.handling === "strict" && preferences.unknown.length > 0) {
    throw restErrors.preferences(preferences.unknown);
  }
}

function prepare(
  http: ServiceRequest,
  request: RestRequest,
  plan: Plan,
  { settings, cache }: Snapshot,
  caller: Caller,
  statement: WrittenStatement,
  representation: Representation,
): Transaction {
  const role = cache.roles.get(caller.role);
  const routine = plan.kind === "call" ? plan.routine : undefined;
  const readOnly =
    plan.kind === "read" ||
    request.readOnlyCall ||
    (routine !== undefined && routine.volatility !== "volatile");
  // A cached plan holds the result of an immutable call without arguments, and would not run it again.
  const constant = plan.kind === "call" && plan.args.kind === "none" && routine?.volatility === "immutable";
  const check = checkOf(request, plan, representation);
  const asked = mayOverrideEnd(settings) ? request.preferences.tx : undefined;
  const statements = [explainable(statement, representation)];
  if (statement.explain) statements.push(statement.explain);
  return {
    isolation: routine?.isolation ?? role?.isolation ?? "read committed",
    readOnly,
    ...preludeOf(http, request, { settings, cache }, caller, routine),
    statements,
    end: asked ?? (settings.txEnd.startsWith("rollback") ? "rollback" : "commit"),
    check,
    anonymous: caller.anonymous,
    // A stable function may run twice, because it changes nothing.
    shareable:
      (plan.kind === "read" || (readOnly && routine !== undefined && routine.volatility !== "volatile")) &&
      statements.length === 1 &&
      settings.preRequest === undefined,
    prepared: settings.preparedStatements && !constant,
    signal: () => http.signal,
  };
}

function explainable(statement: WrittenStatement, representation: Representation): WrittenStatement {
  if (representation.kind !== "plan") return statement;
  const options = [`format ${representation.format}`, ...representation.options].join(", ");
  return { text: `explain (${options}) ${statement.text}`, values: statement.values };
}

/** The check that must pass before COMMIT. */
function checkOf(
  request: RestRequest,
  plan: Plan,
  representation: Representation,
): ((answers: BatchRows) => void) | undefined {
  if (representation.kind === "plan") return undefined;
  const { preferences } = request;
  const put = plan.kind === "write" && plan.action === "put";
  const single = representation.kind === "object" && !put && !isScalarCall(plan);
  const most =
    preferences.handling === "strict" && plan.kind !== "read" && !put && request.action !== "insert"
      ? preferences.maxAffected
      : undefined;
  if (!put && !single && most === undefined) return undefined;
  return (answers) => {
    const { rows } = decodeResult(answers);
    if (put && rows !== 1) throw restErrors.putMismatch();
    if (single && rows !== 1) throw restErrors.notSingular(rows);
    if (most !== undefined && rows > most) throw restErrors.maxAffected(rows);
  };
}

function isScalarCall(plan: Plan): boolean {
  return plan.kind === "call" && !plan.routine.returnsSet;
}
