/**
 * Owns the explanation of a function's call: who may call it, and, by running it again, the statements inside and the
 * rows that row security hid from each of them.
 */
import pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";
import type { CallPlan } from "../rest/plan/plan.ts";
import { ANSWER, writeStatement } from "../rest/sql/statement.ts";
import { ExplainError, type Ran, Session } from "./database/session.ts";
import type { CallExplanation } from "./explanation.ts";
import { oneLine } from "./expression/expression.ts";
import type { Where } from "./judge.ts";
import { plainValues } from "./request.ts";
import type { Rules } from "./rules.ts";
import { differs, insideOf, type Scan } from "./trace.ts";
import type { Explained } from "./why.ts";
import { rows as counted } from "./words.ts";

/** Calls `work` with a session of a login that has auto_explain loaded. */
export type WithTrace = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

export interface CallOptions {
  /** Whether a function that may write is run again. */
  replay?: boolean | undefined;
  withTrace?: WithTrace | undefined;
}

/** The longest text of a statement that stands in a line. */
const LONGEST = 100;

/** Explains a call; nothing that the function does stays, but for sequences and what leaves the database. */
export async function explainCall(
  rules: Rules,
  plan: CallPlan,
  { replay = false, withTrace = (work) => loaded(rules.session, work) }: CallOptions,
): Promise<CallExplanation> {
  const { caller, session } = rules;
  const { routine } = plan;
  const facts = await factsOf(session, caller.role, routine.oid);
  const { name, definer, owner, bypasses } = facts;
  const call: CallExplanation = {
    function: { schema: routine.schema, name: routine.name },
    definer,
    owner,
    inside: [],
  };
  if (!facts.usage || !facts.execute) {
    const grant = facts.usage ? `execute on function ${name}` : `usage on schema ${quote(routine.schema)}`;
    rules.say(
      `Refused: ${caller.role} may not ${facts.usage ? `execute ${routine.name}` : `use schema ${routine.schema}`}: the answer is ${caller.role === "anon" ? 401 : 403} with code 42501. To allow it: grant ${grant} to ${caller.role};`,
    );
    return call;
  }
  const reads = caller.method === "GET" || caller.method === "HEAD" || routine.volatility !== "volatile";
  if (!reads && !replay) {
    rules.say(
      `${routine.name} is VOLATILE, so it may write, and it was not run. With --replay it is: what it does in the database is undone, but triggers fire, and sequences and requests that it sends are not undone.`,
    );
    return call;
  }
  const statement = statementOf(plan);
  const run = (bypass: boolean) =>
    withTrace(async (traced) => {
      const ran = await traced.ran(
        statement.text,
        statement.values,
        { caller, role: caller.role, bypass },
        !reads,
      );
      return { ...ran, inside: insideOf(ran.notices) };
    });
  const own = await run(false);
  const bare = await run(true);
  rules.say(...errorSentences(routine.name, own, caller.role));
  if (definer && bypasses) {
    rules.say(
      `${routine.name} runs with the rights of its owner ${owner}, who has BYPASSRLS: no policy hides anything inside, whoever calls.`,
    );
  }
  const [before, after] = [returned(own), returned(bare)];
  if (before !== undefined && after !== undefined && before !== after) {
    rules.say(`The function returns ${counted(before)}, and would return ${after} without row security.`);
  }
  const outer = oneLine(statement.text);
  const called = new Map<string, number>();
  for (const one of bare.inside) {
    const nth = called.get(one.text) ?? 0;
    called.set(one.text, nth + 1);
    if (one.text === outer && one.scans.length === 0) continue;
    const twin = own.inside.filter(({ text }) => text === one.text)[nth];
    const text = one.text === outer || one.text === "" ? `the body of ${routine.name}` : one.text;
    call.inside.push({ text, ...(twin ? { rows: twin.rows } : {}), withoutRowSecurity: one.rows });
    for (const scan of one.scans) if (differs(scan, twin)) await explainScan(rules, scan, text);
  }
  if (
    own.error === undefined &&
    rules.tables.every(({ explained }) => !hides(explained)) &&
    !(definer && bypasses)
  ) {
    rules.say("Row security hides nothing from the statements inside.");
  }
  return call;
}

/** The rows that a statement reads from a table, judged as the caller. */
async function explainScan(rules: Rules, scan: Scan, text: string): Promise<void> {
  const { table, command } = scan;
  const where = await whereOf(rules, scan);
  const inside = `in "${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}"`;
  const rule = { table, about: inside, selection: { where } } as const;
  await rules.apply({ ...rule, command: "select", label: `Hidden ${inside}` });
  if (command !== "select")
    await rules.apply({ ...rule, command, label: `Not reached by ${command.toUpperCase()} ${inside}` });
}

/** The conditions that can be asked of the table alone: others name subplans or tables beside it. */
async function whereOf({ session, caller }: Rules, { table, alias, conditions }: Scan): Promise<Where> {
  const alone: string[] = [];
  for (const one of conditions) {
    const text = `select from ${quoteName(table)} as ${quote(alias)} where ${one} limit 0`;
    const parsed = await session.read(text, [], caller, table).then(
      () => true,
      () => false,
    );
    if (parsed) alone.push(one);
  }
  return { alias, text: alone.join(" and "), values: [] };
}

function hides(explained: Explained | undefined): boolean {
  return explained?.judgement.groups.some(({ visible }) => !visible) ?? false;
}

function errorSentences(name: string, { error }: Ran, role: string): string[] {
  if (!error) return [];
  const { code, message, where } = error;
  const [place] = (where ?? "")
    .split("\n")
    .sort((one, other) => Number(isPlace(other)) - Number(isPlace(one)));
  const at = place ? ` (${place})` : "";
  if (code !== "42501") return [`${name} raises an error, code ${code}: ${message}${at}.`];
  const told = [`Refused inside with ${role === "anon" ? 401 : 403}, code 42501: ${message}${at}.`];
  if (message.startsWith("new row violates")) {
    told.push(
      "The row is known to the function alone: explain a POST or PATCH of it, with its values, for the part that refuses it.",
    );
  }
  return told;
}

/** Whether a line of an error's context says where, and not which text. */
function isPlace(line: string): boolean {
  return /^(PL\/pgSQL|SQL) function /.test(line);
}

/** The number of rows in REST's answer. */
function returned({ rows }: Ran): number | undefined {
  const [row] = rows;
  return row ? Number(row[ANSWER.rows]) : undefined;
}

function statementOf(plan: CallPlan): { text: string; values: (string | Buffer)[] } {
  const representation = { kind: "json", contentType: "application/json", strip: false } as const;
  const options = { representation, bare: false, count: undefined, maxRows: undefined };
  const { text, values } = writeStatement(plan, options);
  return { text, values: plainValues(values) };
}

interface Facts {
  /** With its arguments' types, as GRANT takes it. */
  name: string;
  definer: boolean;
  owner: string;
  bypasses: boolean;
  usage: boolean;
  execute: boolean;
}

async function factsOf(session: Session, role: string, oid: string): Promise<Facts> {
  const [facts] = await session.known<Facts & Record<string, unknown>>(
    `select p.oid::pg_catalog.regprocedure::text as name, p.prosecdef as definer, o.rolname::text as owner,
       o.rolsuper or o.rolbypassrls as bypasses, pg_catalog.has_schema_privilege(r.oid, p.pronamespace, 'USAGE') as usage,
       pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE') as execute
     from pg_catalog.pg_proc p join pg_catalog.pg_roles o on o.oid = p.proowner, pg_catalog.pg_roles r
     where p.oid = $1 and r.rolname = $2`,
    [oid, role],
  );
  if (!facts) throw new ExplainError(`There is no role ${role}.`);
  return facts;
}

/** With a connection of its own. @param login of a role that has auto_explain loaded. */
export function tracing(login: () => pg.ClientConfig | Promise<pg.ClientConfig>): WithTrace {
  return async (work) => {
    const client = new pg.Client(await login());
    // Without a listener a connection that the server ends would end this process.
    client.on("error", () => {});
    await client.connect();
    try {
      await client.query("set role postgres");
      return await Session.run(client, {}, work);
    } finally {
      await client.end();
    }
  };
}

/** For a database whose login has auto_explain already, as hosted's has. */
async function loaded<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  const [found] = await session.known(
    "select from pg_catalog.pg_settings where name = 'auto_explain.log_min_duration'",
  );
  if (found) return work(session);
  throw new ExplainError(
    "The statements inside a function are read by auto_explain, which this database's server has not loaded for the login (session_preload_libraries).",
  );
}
