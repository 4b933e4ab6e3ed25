/**
 * Owns the REST service: a request goes through parse, plan, sql, execute, respond, one stage after the
 * other, none of which looks back.
 */
import type { ServiceContext } from "../service/context.ts";
import {
  BodyTooLarge,
  readBody,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../service/exchange.ts";
import { RestError, restErrors } from "./errors.ts";
import { type Caller, identify } from "./execute/caller.ts";
import { transactionSettings } from "./execute/settings.ts";
import { Executor, type Rows, type Transaction } from "./execute/transaction.ts";
import { type RestOptions, restOptions } from "./options.ts";
import { handlersFor } from "./plan/handler.ts";
import type { Plan } from "./plan/plan.ts";
import { infoTarget, planRequest } from "./plan/request.ts";
import { negotiate, type Representation } from "./request/media-type.ts";
import { parseRequest, type RestRequest } from "./request/request.ts";
import { respond, respondError, respondInfo } from "./respond/respond.ts";
import { SchemaSource, type Snapshot } from "./schema/source.ts";
import { ANSWER, type WrittenStatement, writeStatement } from "./sql/statement.ts";
import { quoteName } from "./sql/writer.ts";

/** The service of a Backend. The schema cache is loaded while others start. */
export function createRestService(context: ServiceContext): Service {
  return openRestService(restOptions(context));
}

/** The service by itself, against any Postgres. */
export function openRestService(options: RestOptions): Service {
  const source = new SchemaSource(options);
  const executor = new Executor(options);
  source.start();
  return {
    async handle(request) {
      try {
        return await answer(request, options, source, executor);
      } catch (error) {
        return respondError(asRestError(error, options), request.method === "HEAD");
      }
    },
    close: () => source.close(),
  };
}

function asRestError(error: unknown, options: RestOptions): RestError {
  if (error instanceof RestError) return error;
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
): Promise<ServiceResponse> {
  const snapshot = source.current ?? (await source.get());
  const caller = await identify(http.authorization, options, snapshot.settings);
  const request = await parseRequest(http, snapshot.settings.schemas, () =>
    readBody(http, options.bodyLimit),
  );
  if (request.action === "info") return respondInfo(await infoOf(request, source, snapshot));
  const { plan, settled } = await planned(request, source, snapshot);
  const { settings } = settled;
  const representation = negotiate(request.accept, {
    plan: settings.plan,
    openapi: false,
    handler: handlersFor(plan, request.parameters.select, settled.cache),
  });
  checkPreferences(request);
  const statement = writeStatement(plan, {
    representation,
    bare: request.headersOnly || (plan.kind === "write" && request.preferences.return !== "representation"),
    count: request.preferences.count,
    maxRows: settings.maxRows,
  });
  const transaction = prepare(http, request, plan, settled, caller, statement, representation);
  const answers = await executor.run(transaction);
  const [main, explained] = answers;
  if (representation.kind === "plan") return respondPlan(representation, main ?? []);
  return respond({
    request,
    plan,
    representation,
    answer: main?.[0] ?? [],
    planned: explained ? plannedRows(explained) : undefined,
    maxRows: settings.maxRows,
    profiles: settings.schemas.length > 1,
    txOverride: settings.txOverride,
  });
}

const STALE = new Set(["PGRST200", "PGRST202", "PGRST204", "PGRST205"]);

/**
 * Plans, and once more with a fresh cache when something is not there: a table is visible as soon as it
 * is committed, even before its notification has arrived.
 */
async function planned(
  request: RestRequest,
  source: SchemaSource,
  snapshot: Snapshot,
): Promise<{ plan: Plan; settled: Snapshot }> {
  try {
    return { plan: planRequest(request, snapshot.cache, snapshot.settings), settled: snapshot };
  } catch (error) {
    if (!(error instanceof RestError) || !STALE.has(error.code)) throw error;
    const settled = await source.refresh();
    return { plan: planRequest(request, settled.cache, settled.settings), settled };
  }
}

async function infoOf(request: RestRequest, source: SchemaSource, snapshot: Snapshot) {
  try {
    return infoTarget(request, snapshot.cache);
  } catch {
    return infoTarget(request, (await source.refresh()).cache);
  }
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
  const check = checkOf(request, plan, representation);
  const asked = settings.txOverride ? request.preferences.tx : undefined;
  const statements = [explainable(statement, representation)];
  if (statement.explain) statements.push(statement.explain);
  return {
    isolation: routine?.isolation ?? role?.isolation ?? "read committed",
    readOnly,
    settings: transactionSettings(http, request, settings, caller, role, routine),
    before: settings.preRequest === undefined ? undefined : `select ${functionName(settings.preRequest)}()`,
    statements,
    end: asked ?? settings.txEnd,
    ...(check ? { check } : {}),
    anonymous: caller.anonymous,
    prepared: settings.preparedStatements,
    signal: () => http.signal,
  };
}

function functionName(name: string): string {
  const [schema, rest] = name.split(".");
  return rest === undefined
    ? `"${name.replaceAll('"', '""')}"`
    : quoteName({ schema: schema ?? "", name: rest });
}

function explainable(statement: WrittenStatement, representation: Representation): WrittenStatement {
  if (representation.kind !== "plan") return statement;
  const options = [`format ${representation.format}`, ...representation.options].join(", ");
  return { text: `explain (${options}) ${statement.text}`, values: statement.values };
}

/** What must be known before the transaction may commit. */
function checkOf(
  request: RestRequest,
  plan: Plan,
  representation: Representation,
): ((answers: readonly Rows[]) => void) | undefined {
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
    const rows = Number(answers[0]?.[0]?.[ANSWER.rows]);
    if (put && rows !== 1) throw restErrors.putMismatch();
    if (single && rows !== 1) throw restErrors.notSingular(rows);
    if (most !== undefined && rows > most) throw restErrors.maxAffected(rows);
  };
}

function isScalarCall(plan: Plan): boolean {
  return plan.kind === "call" && !plan.routine.returnsSet;
}

function plannedRows(explained: Rows): number | undefined {
  const [plan] = JSON.parse(String(explained[0]?.[0])) as { Plan?: { "Plan Rows"?: number } }[];
  return plan?.Plan?.["Plan Rows"];
}

function respondPlan(representation: Representation, rows: Rows): ServiceResponse {
  return {
    status: 200,
    headers: { "content-type": representation.contentType },
    body: rows.map(([line]) => line).join("\n"),
  };
}
