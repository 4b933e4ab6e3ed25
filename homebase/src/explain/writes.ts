/**
 * Owns the explanation of a write without running it: the rows that it would reach, and the rows as its values would
 * make them, judged by each rule that a write has to meet.
 */
import { quote, quoteName } from "../postgres/quoting.ts";
import type { Condition, WritePlan } from "../rest/plan/plan.ts";
import { writeCondition } from "../rest/sql/read.ts";
import { writeReturningRows } from "../rest/sql/statement.ts";
import { SqlWriter } from "../rest/sql/writer.ts";
import { type Access, type Command, readAccess, type Table } from "./database/access.ts";
import { type Caller, ExplainError, type Session, withUser } from "./database/session.ts";
import { MOST_CANDIDATES, type Where } from "./judge.ts";
import type { Collect } from "./reasons.ts";
import { type KeyFilter, keyText, plainValues } from "./request.ts";
import { type Explained, explainRows } from "./why.ts";

export interface WriteExplanation {
  command: Exclude<Command, "select">;
  access: Access;
  /** The rows that meet the request's filters, by the policies of SELECT, which filters need. */
  seen?: Explained;
  /** The same rows by the `using` of the command. */
  before?: Explained;
  /** The rows with the request's values, by the `check` of the command. */
  after?: Explained;
  /** The rows with the request's values, by the policies of SELECT, which a representation needs. */
  returned?: Explained;
  /** What an upsert does with rows that are there already. Postgres then asks SELECT's policies of all its rows. */
  conflict?: "update" | "nothing";
  /** The rules of the rows that are there already and become others. */
  replaced?: Pick<WriteExplanation, "access" | "seen" | "before" | "after" | "returned">;
  /** What the values do not show, because nothing was run. */
  notes: string[];
}

export interface WriteOptions {
  body: string | undefined;
  key: KeyFilter | undefined;
  collect: Collect | undefined;
  /** Whether the write is run, without row security and undone, so that triggers and defaults show. */
  replay: boolean;
}

/** @param given `body`: as the request sent it. @throws ExplainError where its values are of no column's type. */
export async function explainWrite(
  session: Session,
  caller: Caller,
  table: Table,
  plan: WritePlan,
  { body, key, collect, replay }: WriteOptions,
): Promise<WriteExplanation> {
  const command = plan.action === "put" ? "insert" : plan.action;
  const columns = plan.action === "delete" ? [] : plan.body.columns.map(({ name }) => name);
  const access = await readAccess(session, caller.role, table, command, columns);
  const result: WriteExplanation = {
    command,
    access,
    notes: replay ? [] : await triggerNotes(session, table, command),
  };
  if (!access.schema || !access.granted) return result;
  const where = plan.action === "update" || plan.action === "delete" ? whereOf(plan, key) : undefined;
  if (where) {
    result.seen = await explainRows(session, caller, table.name, { where }, { collect });
    result.before = await explainRows(session, caller, table.name, { where }, { command, collect });
  }
  if (command === "delete" || (where && result.seen?.judgement.candidates === 0)) return result;
  const rows = replay
    ? await replayedRows(session, caller, plan, key)
    : await newRows(session, caller, table, body ?? "", where);
  result.after = await explainRows(
    session,
    caller,
    table.name,
    { rows },
    { command, kind: "check", collect },
  );
  result.returned = await explainRows(session, caller, table.name, { rows }, { collect });
  const conflict = plan.action === "insert" || plan.action === "put" ? plan.conflict : undefined;
  if (!conflict) return result;
  result.conflict = conflict.update ? "update" : "nothing";
  if (!conflict.update) {
    result.notes.push("Rows that are there already stay as they are.");
    return result;
  }
  const replaced = await explainReplaced(session, caller, table, {
    body: body ?? "",
    columns,
    keys: conflict.columns,
    collect,
  });
  return replaced ? { ...result, replaced } : result;
}

/** The rules of an upsert's UPDATE; undefined when no row is there already. */
async function explainReplaced(
  session: Session,
  caller: Caller,
  table: Table,
  {
    body,
    columns,
    keys,
    collect,
  }: { body: string; columns: string[]; keys: readonly string[]; collect: Collect | undefined },
): Promise<WriteExplanation["replaced"]> {
  const type = quoteName(table.name);
  const alias = table.name.name;
  const equal = keys.map((key) => `given.${quote(key)} = ${quote(alias)}.${quote(key)}`).join(" and ");
  const given = `${BODY_ROWS} as one cross join lateral pg_catalog.jsonb_populate_record(null::${type}, one) as given`;
  const where: Where = { alias, text: `exists (select from ${given} where ${equal})`, values: [body] };
  const seen = await explainRows(session, caller, table.name, { where }, { collect });
  if (seen.judgement.candidates === 0) return undefined;
  const access = await readAccess(session, caller.role, table, "update", columns);
  if (!access.granted) return { access };
  const before = await explainRows(session, caller, table.name, { where }, { command: "update", collect });
  const text = `select pg_catalog.jsonb_populate_record(${quote(alias)}.*, one)::${type}::text as row
    from ${type} as ${quote(alias)} cross join ${given} where ${equal} limit ${MOST_CANDIDATES}`;
  const rows = texts(await session.read<{ row: string }>(text, [body], caller, table.name));
  const options = { command: "update", kind: "check", collect } as const;
  const after = await explainRows(session, caller, table.name, { rows }, options);
  const returned = await explainRows(session, caller, table.name, { rows }, { collect });
  return { access, seen, before, after, returned };
}

/** The elements of a body, one or a list, that is the first value. */
const BODY_ROWS =
  "pg_catalog.jsonb_array_elements(case pg_catalog.jsonb_typeof($1::jsonb) when 'array' then $1::jsonb else pg_catalog.jsonb_build_array($1::jsonb) end)";

function whereOf(
  plan: Extract<WritePlan, { action: "update" | "delete" }>,
  key: KeyFilter | undefined,
): Where {
  const writer = new SqlWriter();
  const alias = plan.table.name;
  const from = { alias, relation: plan.table, source: { kind: "relation" } } as const;
  const conditions = plan.conditions.map((one) => `(${writeCondition(writer, from, one, "exists")})`);
  if (key) conditions.push(keyText(writer, alias, key));
  return { alias, text: conditions.join(" and "), values: writer.values };
}

/** The rows as values make them, as composite values. @param body JSON: an object, or a list of them. */
export async function newRows(
  session: Session,
  caller: Caller,
  table: Table,
  body: string,
  where: Where | undefined,
): Promise<string[]> {
  const type = quoteName(table.name);
  if (where) {
    const alias = quote(where.alias);
    const text = `select pg_catalog.jsonb_populate_record(${alias}.*, $${where.values.length + 1}::jsonb)::${type}::text as row
      from ${type} as ${alias} where ${where.text === "" ? "true" : where.text} limit ${MOST_CANDIDATES}`;
    return texts(await session.read<{ row: string }>(text, [...where.values, body], caller, table.name));
  }
  const defaults = await session.rows<{ text: string | null }>(
    `select pg_catalog.pg_get_expr(d.adbin, d.adrelid) as text
     from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d
       on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table.oid],
  );
  // A sequence that is asked for its next value keeps it, even when the transaction is rolled back.
  const values = defaults.map(({ text }) =>
    text === null || /\bnextval\(/.test(text) ? "null" : withUser(text, caller.role),
  );
  const text = `select pg_catalog.jsonb_populate_record(row(${values.join(", ")})::${type}, one)::text as row from ${BODY_ROWS} as one limit ${MOST_CANDIDATES}`;
  return texts(await session.read<{ row: string }>(text, [body], caller, table.name));
}

/** The rows as the write itself makes them. @throws ExplainError where it fails, and for an upsert. */
async function replayedRows(
  session: Session,
  caller: Caller,
  plan: WritePlan,
  key: KeyFilter | undefined,
): Promise<string[]> {
  if ("conflict" in plan && plan.conflict) throw new ExplainError("--replay of an upsert is not built.");
  if (session.readOnly)
    throw new ExplainError("--replay runs the write, and with --db-url nothing is written.");
  const named = (key?.columns ?? []).map(
    (name, at): Condition => ({
      kind: "filter",
      field: { name, path: [] },
      negated: false,
      operation: { kind: "in", values: [key?.values[at] ?? ""] },
    }),
  );
  const { text, values } = writeReturningRows(
    plan.action === "update" ? { ...plan, conditions: [...plan.conditions, ...named] } : plan,
  );
  const { rows, error } = await session.ran(
    text,
    plainValues(values),
    { caller, role: caller.role, bypass: true },
    true,
  );
  if (error)
    throw new ExplainError(`Run again without row security, it raises code ${error.code}: ${error.message}.`);
  return rows.slice(0, MOST_CANDIDATES).map(([row]) => row ?? "");
}

function texts(rows: readonly { row: string }[]): string[] {
  return rows.map(({ row }) => row);
}

/** Triggers that may change the row before it is checked, and columns that only the write itself computes. */
async function triggerNotes(session: Session, { oid }: Table, command: string): Promise<string[]> {
  if (command === "delete") return [];
  // tgtype: row 1, before 2, insert 4, update 16.
  const [found] = await session.rows<{ triggers: string[]; generated: string[] }>(
    `select array(select t.tgname::text from pg_catalog.pg_trigger t where t.tgrelid = $1 and not t.tgisinternal
         and t.tgenabled in ('O', 'A') and (t.tgtype & 3) = 3 and (t.tgtype & $2) > 0 order by 1) as triggers,
       array(select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = $1 and a.attgenerated <> ''
         order by 1) as generated`,
    [oid, command === "insert" ? 4 : 16],
  );
  const notes = (found?.triggers ?? []).map(
    (name) => `Trigger ${name} may change the row before it is checked; it was not run.`,
  );
  if (found && found.generated.length > 0) {
    notes.push(`Generated columns have no new value here: ${found.generated.join(", ")}.`);
  }
  return notes;
}
