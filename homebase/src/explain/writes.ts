/**
 * Owns the explanation of a write without running it: the rows that it would reach, and the rows as its values would
 * make them, judged by each rule that a write has to meet.
 */
import { arrayLiteral, quote, quoteName } from "../postgres/quoting.ts";
import type { Condition, WritePlan } from "../rest/plan/plan.ts";
import { writeCondition } from "../rest/sql/select-sql.ts";
import { writeReturningRows } from "../rest/sql/statement.ts";
import { SqlWriter } from "../rest/sql/writer.ts";
import { columnsOfCondition, type KeyFilter, keyConditions, keyText, plainValues } from "./asked-tables.ts";
import { type Access, type Command, readAccess, type Table } from "./database/before-policies.ts";
import { loginOf, withUser } from "./database/explained-caller.ts";
import { ExplainError, type Session } from "./database/explanation-transaction.ts";
import { splitByKey } from "./database/written-rows.ts";
import { MOST_CANDIDATES, type Where } from "./judge.ts";
import type { Sentence } from "./verdicts.ts";
import { type Explained, explainRows, type Judging } from "./why.ts";
import { listed } from "./words.ts";

export interface WriteExplanation {
  /** Whether the rows are returned, so that they have to meet SELECT's policies. */
  returns: boolean;
  /** The right to SELECT that filters, ON CONFLICT and a representation need, where it is missing. */
  reading?: Access;
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
  replaced?: { access: Access } & Pick<WriteExplanation, "seen" | "before" | "after" | "returned">;
  /** What the values do not show, because nothing was run. */
  notes: Pick<Sentence, "text" | "further">[];
}

export interface WriteOptions {
  body: string | undefined;
  key: KeyFilter | undefined;
  /** Whether the write is run, without row security and undone, so that triggers and defaults show. */
  replay: boolean;
  /** Whether the rows are returned. */
  returns: boolean;
}

/** A write with the right to do it. */
interface Written {
  command: Exclude<Command, "select">;
  access: Access;
  write: WriteExplanation;
}

/** @throws ExplainError where values are of no column's type. */
export async function explainWrite(
  judging: Judging,
  table: Table,
  plan: WritePlan,
  options: WriteOptions,
): Promise<Written> {
  const command = plan.action === "put" ? "insert" : plan.action;
  const columns = plan.action === "delete" ? [] : plan.body.columns.map(({ name }) => name);
  const access = await readAccess(judging.session, judging.caller.role, table, command, columns);
  const explained = (replay: boolean) =>
    explainOnce(judging, table, plan, { ...options, replay }, { command, access, columns });
  try {
    return { command, access, write: await explained(options.replay) };
  } catch (error) {
    if (!(error instanceof ReplayFailed)) throw error;
    // A write that went through may not do so twice: its keys are there.
    const write = await explained(false);
    return { command, access, write: { ...write, notes: [{ text: error.message }, ...write.notes] } };
  }
}

/** The write cannot be run again. */
class ReplayFailed extends ExplainError {
  constructor(why: string) {
    super(`Run again without row security, ${why}: its rows are judged by their values.`);
  }
}

async function explainOnce(
  judging: Judging,
  table: Table,
  plan: WritePlan,
  { body = "", key, replay, returns }: WriteOptions,
  { command, access, columns }: Omit<Written, "write"> & { columns: string[] },
): Promise<WriteExplanation> {
  const { session, caller } = judging;
  const filtered = "conditions" in plan ? plan.conditions.flatMap(columnsOfCondition) : [];
  const conflict = plan.action === "insert" || plan.action === "put" ? plan.conflict : undefined;
  const all = plan.returning.includes("*") ? table.columns.map(({ name }) => name) : plan.returning;
  const read = [...new Set([...filtered, ...(conflict?.columns ?? []), ...(returns ? all : [])])];
  const reading = read.length > 0 ? await readAccess(session, caller.role, table, "select", read) : undefined;
  const result: WriteExplanation = {
    returns,
    notes: replay ? [] : await triggerNotes(session, table, command),
  };
  if (!access.granted) return result;
  if (reading && !reading.granted) return { ...result, reading };
  const where = plan.action === "update" || plan.action === "delete" ? whereOf(plan, key) : undefined;
  let reached: string[] = [];
  if (where) {
    result.seen = await explainRows(judging, table.name, { where });
    result.before = await explainRows(judging, table.name, { where }, { command });
    const before = new Set(result.before.judgement.passed);
    reached = result.seen.judgement.passed.filter((row) => before.has(row));
  }
  // Rows that the write does not reach are not checked.
  if (command === "delete" || (where && reached.length === 0)) return result;
  const rows =
    replay && command === "update"
      ? await replayedRows(judging, plan, await keysOf(session, table, reached))
      : replay && !conflict
        ? await replayedRows(judging, plan)
        : where
          ? await changedRows(judging, table, body, reached)
          : await newRows(judging, table, body);
  if (!conflict) return { ...result, ...(await judgedAfter(judging, table, command, rows)) };
  result.conflict = conflict.update ? "update" : "nothing";
  const written = replay ? await replayedRows(judging, plan) : [];
  const { made, changed } = await splitByKey(session, table, conflict.columns, written);
  // A row that meets one that is there is proposed first, and has to meet INSERT's rules: it is not returned.
  const proposed = replay ? (await splitByKey(session, table, conflict.columns, rows)).changed : rows;
  Object.assign(result, await judgedAfter(judging, table, command, [...made, ...proposed]));
  if (replay && proposed.length > 0) result.notes.push(...(await triggerNotes(session, table, "insert")));
  if (!conflict.update) {
    result.notes.push({ text: "Rows that are there already stay as they are." });
    return result;
  }
  const keys = conflict.columns;
  const become = replay ? changed : undefined;
  return { ...result, replaced: await explainReplaced(judging, table, { body, columns, keys, become }) };
}

/** The rows after a write, by its own rule and by that of SELECT. */
async function judgedAfter(
  judging: Judging,
  { name }: Table,
  command: "insert" | "update",
  rows: readonly string[],
): Promise<Required<Pick<WriteExplanation, "after" | "returned">>> {
  return {
    after: await explainRows(judging, name, { rows }, { command, kind: "check" }),
    returned: await explainRows(judging, name, { rows }),
  };
}

interface Replaced {
  body: string;
  columns: string[];
  keys: readonly string[];
  /** What the write itself has made of them, where it was run. */
  become: string[] | undefined;
}

/** The rules of an upsert's UPDATE; undefined when no row is there already. */
async function explainReplaced(
  judging: Judging,
  table: Table,
  { body, columns, keys, become }: Replaced,
): Promise<WriteExplanation["replaced"]> {
  const { session, caller } = judging;
  const type = quoteName(table.name);
  const alias = table.name.name;
  const equal = keys.map((key) => `given.${quote(key)} = ${quote(alias)}.${quote(key)}`).join(" and ");
  const given = `${BODY_ROWS} as one cross join lateral pg_catalog.jsonb_populate_record(null::${type}, one) as given`;
  const where: Where = { alias, text: `exists (select from ${given} where ${equal})`, values: [body] };
  const seen = await explainRows(judging, table.name, { where });
  if (seen.judgement.candidates === 0) return undefined;
  const access = await readAccess(session, caller.role, table, "update", columns);
  if (!access.granted) return { access };
  const before = await explainRows(judging, table.name, { where }, { command: "update" });
  const text = `select pg_catalog.jsonb_populate_record(${quote(alias)}.*, one)::${type}::text as row
    from ${type} as ${quote(alias)} cross join ${given} where ${equal} limit ${MOST_CANDIDATES}`;
  const rows = become ?? texts(await session.read<{ row: string }>(text, [body], caller, table.name));
  const judged = await judgedAfter(judging, table, "update", rows);
  return { access, seen, before, ...judged };
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

/** Rows with a request's values in them, as composite values. @param body a JSON object. */
export async function changedRows(
  { session, caller }: Judging,
  { name }: Pick<Table, "name">,
  body: string,
  rows: readonly string[],
): Promise<string[]> {
  const type = quoteName(name);
  const text = `select pg_catalog.jsonb_populate_record(t, $2::jsonb)::${type}::text as row from pg_catalog.unnest($1::text::${type}[]) as t`;
  return texts(await session.read<{ row: string }>(text, [arrayLiteral(rows), body], caller, name));
}

/** The rows as an insert's values make them, as composite values. @param body JSON: an object, or a list of them. */
export async function newRows({ session, caller }: Judging, table: Table, body: string): Promise<string[]> {
  const type = quoteName(table.name);
  const defaults = await session.rows<{ text: string | null }>(
    `select pg_catalog.pg_get_expr(d.adbin, d.adrelid) as text
     from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d
       on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [table.oid],
  );
  // A sequence that is asked for its next value keeps it, even when the transaction is rolled back.
  const values = defaults.map(({ text }) =>
    text === null || /\bnextval\(/.test(text)
      ? "null"
      : withUser(text, { session: loginOf(caller), current: caller.role }),
  );
  const text = `select pg_catalog.jsonb_populate_record(row(${values.join(", ")})::${type}, one)::text as row from ${BODY_ROWS} as one limit ${MOST_CANDIDATES}`;
  return texts(await session.read<{ row: string }>(text, [body], caller, table.name));
}

/** The primary keys of rows, to run a write for these alone; undefined for a table without one. */
async function keysOf(
  session: Session,
  { name, key }: Table,
  rows: readonly string[],
): Promise<Condition[] | undefined> {
  if (key.length === 0) return undefined;
  const type = quoteName(name);
  const values = key.map((one) => `(select pg_catalog.array_agg((t.${quote(one)})::text) from t)`);
  const [found] = await session.rows<{ keys: string[][] }>(
    `with t as materialized (select (u).* from pg_catalog.unnest($1::text::${type}[]) as u) select array[${values.join(", ")}] as keys`,
    [arrayLiteral(rows)],
  );
  return keyConditions(key, found?.keys ?? []);
}

/** The rows as the write itself makes them. @throws ReplayFailed */
async function replayedRows(
  { session, caller }: Judging,
  plan: WritePlan,
  only: Condition[] = [],
): Promise<string[]> {
  if (session.readOnly)
    throw new ExplainError("--replay runs the write, and with --db-url nothing is written.");
  const { text, values } = writeReturningRows(
    plan.action === "update" ? { ...plan, conditions: [...plan.conditions, ...only] } : plan,
  );
  const statement = { text, values: plainValues(values), writes: true };
  const { rows, error, cut } = await session.ran(statement, { ...caller, bypass: true });
  if (error) throw new ReplayFailed(`it raises code ${error.code} (${error.message})`);
  if (cut !== undefined) throw new ReplayFailed(cut);
  return rows.slice(0, MOST_CANDIDATES).map(([row]) => row ?? "");
}

function texts(rows: readonly { row: string }[]): string[] {
  return rows.map(({ row }) => row);
}

/** Triggers that may change the row before it is checked, and columns that only the write itself computes. */
async function triggerNotes(
  session: Session,
  { oid }: Table,
  command: string,
): Promise<WriteExplanation["notes"]> {
  if (command === "delete") return [];
  // tgtype: row 1, before 2, insert 4, update 16.
  const [found] = await session.rows<{ triggers: string[]; later: string[]; generated: string[] }>(
    `select array(select t.tgname::text from pg_catalog.pg_trigger t where t.tgrelid = $1 and not t.tgisinternal
         and t.tgenabled in ('O', 'A') and (t.tgtype & 3) = 3 and (t.tgtype & $2) > 0 order by 1) as triggers,
       array(select t.tgname::text from pg_catalog.pg_trigger t where t.tgrelid = $1 and not t.tgisinternal
         and t.tgenabled in ('O', 'A') and (t.tgtype & 2) = 0 and (t.tgtype & $2) > 0 order by 1) as later,
       array(select a.attname::text from pg_catalog.pg_attribute a where a.attrelid = $1 and a.attgenerated <> ''
         order by 1) as generated`,
    [oid, command === "insert" ? 4 : 16],
  );
  const notes: WriteExplanation["notes"] = (found?.triggers ?? []).map((name) => ({
    text: `Trigger ${name} may change the row before it is checked; it was not run.`,
  }));
  if (found && found.later.length > 0) {
    notes.push({
      text: `Not run: what is written after it, with rules of its own, by trigger ${listed(found.later)}.`,
      further: { option: "--replay", does: "it is run and undone." },
    });
  }
  if (found && found.generated.length > 0) {
    notes.push({ text: `Generated columns have no new value here: ${found.generated.join(", ")}.` });
  }
  return notes;
}
