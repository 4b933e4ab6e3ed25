/** Owns what the test of a function's call says: what the function gives its caller now. */
import type pg from "pg";
import type { Asked } from "../asked-tables.ts";
import { ExplainError, Session } from "../database/explanation-transaction.ts";
import { explain } from "../explain-request.ts";
import type { MadeTest } from "./made.ts";
import { callText } from "./pgtap.ts";
import { judgedNeeds, type SubjectOptions, type TestSubject } from "./subject.ts";

/** SQLSTATE of a write in a read-only transaction. */
const READ_ONLY = "25006";
const REFUSED = "42501";

export async function calledOf(
  db: pg.ClientBase,
  asked: Asked,
  { api, collect, withTrace }: SubjectOptions,
): Promise<TestSubject> {
  const explanation = await explain(db, asked, { api, collect, withTrace });
  const { call, tables } = explanation;
  if (!call) throw new ExplainError("No test is made of this call.");
  const { rows } = await db.query<{ names: string[] | null; set: boolean }>(
    // Of several with one name, the arguments that are given choose one again.
    `select array_agg(distinct one.name) as names, bool_or(p.proretset) as set
     from pg_proc p join pg_namespace n on n.oid = p.pronamespace left join unnest(p.proargnames) as one (name) on true
     where n.nspname = $1 and p.proname = $2`,
    [call.function.schema, call.function.name],
  );
  const { names, set = false } = rows[0] ?? {};
  const called = { name: call.function, args: argumentsOf(asked, names ?? []), set };
  return {
    explanation,
    asserted: {
      ...(await outcomeOf(db, asked, called)),
      called,
      table: call.function,
      command: "select",
      key: { columns: [], values: [] },
      columns: [],
      rows: [],
    },
    needs: judgedNeeds(tables),
  };
}

function argumentsOf({ path, body }: Asked, names: readonly string[]): Record<string, unknown> {
  const given =
    body === undefined || body === ""
      ? Object.fromEntries(new URL(path, "http://x").searchParams)
      : JSON.parse(body);
  return Object.fromEntries(Object.entries(given as object).filter(([name]) => names.includes(name)));
}

/** Calls it as the caller, in a transaction that may not write. */
async function outcomeOf(
  db: pg.ClientBase,
  { role, claims, searchPath = "public, extensions" }: Asked,
  called: NonNullable<MadeTest["called"]>,
): Promise<Pick<MadeTest, "title" | "outcome" | "message" | "value">> {
  const name = `${called.name.schema}.${called.name.name}`;
  const text = `select one::text from ${callText(called)} as one`;
  const { rows, error, cut } = await Session.run(db, {}, (session) =>
    session.ran({ text, values: [] }, { role, claims, searchPath }),
  );
  if (cut !== undefined) throw new ExplainError(`${name} was not run to its end: ${cut}.`);
  if (error) {
    const { code, message } = error;
    if (code === READ_ONLY)
      throw new ExplainError(`${name} writes, and no test is made of a function that does.`);
    if (code !== REFUSED) throw new ExplainError(`${name} raises an error, code ${code}: ${message}.`);
    return { title: `${role}'s call of ${name} is refused`, outcome: "refused", message };
  }
  if (called.set) {
    const outcome = rows.length > 0 ? "seen" : "empty";
    return { title: `${role} gets ${outcome === "seen" ? "" : "no "}rows of ${name}`, outcome };
  }
  const value = rows[0]?.[0] ?? null;
  const title = `${role} gets ${value === null ? "null" : "the value"} of ${name}`;
  return { title, outcome: "value", value };
}
