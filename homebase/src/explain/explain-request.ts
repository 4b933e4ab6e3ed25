/** Owns the explanation of a request: grants, filters, policies and paging, for each table that it asks. */
import type pg from "pg";
import type { ReadHappening } from "../core/happenings.ts";
import type { WritePlan } from "../rest/plan/plan.ts";
import { writeReturningRows } from "../rest/sql/statement.ts";
import { explainFailure, runAgain } from "./again.ts";
import {
  type ApiSettings,
  type Asked,
  type Asking,
  askedTables,
  filterVerdicts,
  type KeyFilter,
  keyConditions,
  plainValues,
  type Resolved,
  type Running,
  readRunning,
  resolve,
} from "./asked-tables.ts";
import { explainBroadcast, TOPIC } from "./broadcast.ts";
import { explainJoin } from "./channel-join.ts";
import { readAccess, readTable, type Table } from "./database/before-policies.ts";
import { type Caller, loginOf } from "./database/explained-caller.ts";
import {
  ExplainError,
  Session,
  type SessionOptions,
  type WithTrace,
} from "./database/explanation-transaction.ts";
import { keyFromText } from "./database/written-rows.ts";
import { explainEvent } from "./event.ts";
import type { Explanation, TableExplanation } from "./explanation.ts";
import { explainCall } from "./function-call.ts";
import type { Collect } from "./look.ts";
import {
  answeredToday,
  asksForLogin,
  believing,
  changedSince,
  fails,
  frame,
  plannedToday,
  raisingParts,
  wentThrough,
} from "./outcome.ts";
import { Rules } from "./rules.ts";
import { sentencesOf } from "./sentences.ts";
import { explainStorage } from "./storage.ts";
import type { Sentence } from "./verdicts.ts";
import { explainViewWrite } from "./view-writes.ts";
import { explainView, viewKey } from "./views.ts";
import { explainRows } from "./why.ts";
import { explainWrite } from "./writes.ts";
import { refusedTable } from "./written.ts";

export interface ExplainRequestOptions extends SessionOptions {
  /** Whether what may write is run again, and undone. */
  replay?: boolean;
  /** For what runs inside functions and triggers. */
  withTrace?: WithTrace;
  api?: ApiSettings;
  /** REST's settings and schema cache as the running stack has them; read anew without. */
  running?: Running;
  /** The primary key of the row in question; several columns with commas between them. */
  row?: string;
  /** Joins, changes and broadcasts of the running stack, in order. */
  happened?: readonly ReadHappening[] | undefined;
  /** Takes the rows that subqueries and functions have looked at. */
  collect?: Collect;
}

/** The methods of what is no request: a change that a subscriber hears of, and joining a private channel. */
export const EVENT = "EVENT";
export const JOIN = "JOIN";

/**
 * Explains a request by what the database holds now. Nothing is changed: one transaction, which is rolled back.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError with what the user can change.
 */
export async function explain(
  db: pg.ClientBase,
  asked: Asked,
  options: ExplainRequestOptions = {},
): Promise<Explanation> {
  const { milliseconds, session: begun, notes = [] } = asked;
  const { readOnly = false } = options;
  return Session.run(db, { readOnly, milliseconds, session: begun }, async (session) => {
    session.trace = options.withTrace;
    const { method, path, role, claims, headers } = asked;
    const user = typeof claims.sub === "string" ? claims.sub : undefined;
    const own = path.startsWith(STORAGE) ? path.slice(STORAGE.length - 1) : "";
    const caller: Caller = { role, claims, method: method.toUpperCase(), path: own, headers };
    const rules = new Rules(session, caller, { role, user }, options.collect);
    const told = await answered(rules, asked, options);
    return {
      asked: { method, path, role, user },
      ...told,
      sentences: [...told.sentences, ...notes.map((text): Sentence => ({ text, kind: "note" }))],
    };
  });
}

const STORAGE = "/storage/v1/";
type Answer = Omit<Explanation, "asked">;

async function answered(rules: Rules, asked: Asked, options: ExplainRequestOptions): Promise<Answer> {
  const { sentences, tables } = rules;
  const { method, path } = asked;
  if (method === JOIN) await explainJoin(rules, asked);
  else if (method === EVENT && TOPIC.test(path)) await explainBroadcast(rules, asked, options.happened);
  else if (method === EVENT) {
    const { row } = options;
    const keyFor = (table: Table) => (row === undefined ? undefined : keyOf(table, row));
    return { sentences, tables, delivery: await explainEvent(rules, asked, keyFor, options.happened) };
  } else if (path.startsWith(STORAGE)) await explainStorage(rules, asked);
  else return answerOfRest(rules, asked, options);
  return { sentences, tables };
}

async function answerOfRest(rules: Rules, asked: Asked, options: ExplainRequestOptions): Promise<Answer> {
  const { session, caller } = rules;
  const resolved = await resolve(asked, options.running ?? (await readRunning(session, options.api ?? {})));
  const { plan, prelude, statement } = resolved;
  caller.prelude = prelude;
  session.searchPath = prelude.settings[0]?.[1] ?? session.searchPath;
  const planned = await plannedToday(session, caller, statement);
  rules.asker.failed = fails(asked, planned);
  const answer: Answer =
    planned.before && prelude.before.length > 0
      ? { sentences: [], tables: [] }
      : await explained(rules, asked, resolved, options);
  const own =
    plan.kind === "call" ? undefined : plan.kind === "write" ? plan.table.name : plan.root.name.name;
  const framing = { own, told: answer.sentences, replay: options.replay ?? false };
  const raising = await raisingParts(session, caller, answer.tables, planned);
  const today =
    asked.status === undefined || planned.error ? {} : await answeredToday(session, caller, statement);
  const differs = changedSince(asked, planned, today);
  const changed = asksForLogin(answer.tables) ? undefined : differs;
  const notes: Sentence[] = [];
  if (differs !== changed)
    notes.push({
      text: `A policy asks for SESSION_USER, which is ${loginOf(caller)} in the request: run again, its statement has another login.`,
      kind: "note",
    });
  if (asked.rows !== undefined && today.cut !== undefined)
    notes.push({ text: `Whether it returns the same now is not known: ${today.cut}.`, kind: "unknown" });
  const framed = frame(asked, planned, framing);
  const sentences = [...framed, ...raising, ...believing(asked, answer.sentences), ...notes];
  return { ...answer, sentences, changed };
}

/** The explanation of the request's rows, without the answer that it had. */
async function explained(
  rules: Rules,
  asked: Asked,
  { plan, returns }: Resolved,
  options: ExplainRequestOptions,
): Promise<Answer> {
  const { session, caller, sentences, tables } = rules;
  const { replay = false, row } = options;
  if (plan.kind === "call") return { sentences, tables, call: await explainCall(rules, plan, replay) };
  const own = await readTable(session, plan.root.name);
  const named = own.kind === "view" ? { ...own, key: await viewKey(session, caller, own) } : own;
  const key = row === undefined ? undefined : keyOf(named, row);
  if (plan.kind === "read") {
    for (const asking of askedTables(plan.root, key)) {
      const one = await explainTable(rules, asking, tables.length === 0 ? row : undefined);
      tables.push(tables.length === 0 ? { ...one, key: named.key } : one);
    }
  } else if (own.kind === "view") {
    const asked = await explainViewWrite(rules, own, withKey(plan, key), replay);
    return { sentences, tables: [{ table: own.name, ...asked }, ...tables] };
  } else {
    const written = await explainWrite(rules, own, plan, { body: asked.body, key, replay, returns });
    // What a trigger is refused ends the write, whatever its own rules say.
    if (replay && !wentThrough(asked)) await explainTriggers(rules, withKey(plan, key));
    tables.unshift({ table: own.name, key: own.key, ...written });
  }
  const told = tables.flatMap((one) => (one.about === undefined ? sentencesOf(one, rules.asker) : []));
  return { sentences: [...sentences, ...told], tables };
}

/** Runs the write as the caller, and says what refuses it besides its own table's rules: what its triggers write. */
async function explainTriggers(rules: Rules, plan: WritePlan): Promise<void> {
  const { text, values } = writeReturningRows(plan, false);
  const again = await runAgain(rules, { text, values: plainValues(values), writes: true });
  const { error } = again.own;
  if (error && refusedTable(error.message) !== plan.table.name)
    await explainFailure(rules, `${plan.action.toUpperCase()} of ${plan.table.name}`, again);
}

async function explainTable(
  rules: Rules,
  asking: Asking,
  key: string | undefined,
): Promise<TableExplanation> {
  const { session, caller } = rules;
  const { table: name, node, columns, inner, embeds, where } = asking;
  const table = await readTable(session, name);
  const access = await readAccess(session, caller.role, table, "select", columns);
  const page = { limit: node.limit, offset: node.offset };
  const embed = embeds.length > 0 ? embeds.join(".") : undefined;
  const result: TableExplanation = { embed, table: name, command: "select", access, page, inner };
  if (!access.granted) return result;
  if (table.kind === "view") result.view = await explainView(rules, table, where);
  else result.explained = await explainRows(rules, name, { where }, { columns });
  if (key === undefined) return result;
  const exists = (result.view?.withoutRowSecurity ?? result.explained?.judgement.candidates ?? 0) > 0;
  const filters = exists ? await filterVerdicts(session, asking, caller) : [];
  return { ...result, row: { key, exists, filters } };
}

/** The write for one row alone. */
function withKey(plan: WritePlan, key: KeyFilter | undefined): WritePlan {
  if (!key || (plan.action !== "update" && plan.action !== "delete")) return plan;
  return {
    ...plan,
    conditions: [
      ...plan.conditions,
      ...keyConditions(
        key.columns,
        key.values.map((one) => [one]),
      ),
    ],
  };
}

/** @throws ExplainError when the key has other columns than the table. */
function keyOf({ key, name }: Table, row: string): KeyFilter {
  if (key.length === 0)
    throw new ExplainError(`${name.name} has no primary key, so no row of it can be named.`);
  const values = keyFromText(row, key.length);
  if (values.length !== key.length) {
    throw new ExplainError(
      `The primary key of ${name.name} is ${key.join(", ")}: give their values with commas.`,
    );
  }
  return { columns: key, values };
}
