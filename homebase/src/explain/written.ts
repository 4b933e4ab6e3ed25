/** Owns the rows that a statement has written, as they are before it is undone, and judging them by what was refused. */
import { quoteName } from "../postgres/quoting.ts";
import { readTable } from "./database/before-policies.ts";
import type { Session } from "./database/explanation-transaction.ts";
import { splitByKey } from "./database/written-rows.ts";
import { MOST_CANDIDATES } from "./judge.ts";
import type { AskedRule, Rules } from "./rules.ts";
import type { Write } from "./trace.ts";
import type { Label } from "./verdicts.ts";

/** Rows of one table that are not committed yet, as composite values. */
export interface Written extends Write {
  rows: string[];
}

/** The table of Postgres's message that row security refuses a row. */
export function refusedTable(message: string): string | undefined {
  return /violates row-level security policy .*for table "(.+)"$/.exec(message)?.[1];
}

/** The id of this transaction, to be read before the statement. */
export async function transactionId(session: Session): Promise<string> {
  const [row] = await session.rows<{ id: string }>("select pg_catalog.pg_current_xact_id()::text as id");
  return row?.id ?? "0";
}

/** The rows that this transaction has written into a table. @param since as `transactionId` gave it. */
export async function writtenRows(session: Session, write: Write, since: string): Promise<Written> {
  const name = quoteName(write.table);
  // Rows of others are committed: this transaction sees no others that are in progress.
  const found = await session.rows<{ row: string }>(
    `select t::text as row from ${name} as t
     where case when t.xmin::text::int8 >= ($1::int8 & 4294967295)
       then pg_catalog.pg_xact_status((($1::int8 >> 32 << 32) + t.xmin::text::int8)::text::xid8) = 'in progress'
       else false end limit ${MOST_CANDIDATES}`,
    [since],
  );
  return { ...write, rows: found.map(({ row }) => row) };
}

/**
 * Judges the rows that a statement writes without row security by the rules that it has to meet, and says which part
 * refuses them. @param message Postgres's, which says which kind of rule refused. @returns whether a part does.
 */
export async function explainRefusedRows(
  rules: Rules,
  { table: name, command, rows }: Written,
  message: string,
): Promise<boolean> {
  if (command === "delete" || rows.length === 0) return false;
  const { session } = rules;
  const table = await readTable(session, name);
  const split = command === "any" ? await splitByKey(session, table, table.key, rows) : undefined;
  const inserts = split?.made ?? (command === "insert" ? rows : []);
  const updates = split?.changed ?? (command === "update" ? rows : []);
  const label: Label = { kind: "refused", text: `Refused is the row of ${name.name}` };
  let failed = false;
  const apply = async (about: string, rule: Pick<AskedRule, "command" | "kind">, some: readonly string[]) => {
    if (some.length === 0) return;
    const judged = await rules.judge({ table: name, about, ...rule, selection: { rows: some }, label });
    if (judged.sentences.length === 0) return;
    failed = true;
    rules.tables.push(judged.table);
    rules.sentences.push(...judged.sentences);
  };
  if (message.includes("(USING expression)")) {
    await apply("the row that is there already", { command: "update", kind: "using" }, split?.before ?? []);
    if (!failed) await apply("the row that is there already", { command: "select" }, split?.before ?? []);
    return failed;
  }
  await apply("the row that is inserted", { command: "insert", kind: "check" }, inserts);
  await apply("the row that is updated", { command: "update", kind: "check" }, updates);
  // RETURNING, ON CONFLICT and the filters of an UPDATE read the row.
  if (!failed) await apply("the written row, as SELECT sees it", { command: "select" }, rows);
  return failed;
}

/** The tables of a name among those that are written. */
export function writesTo(writes: readonly Write[], name: string): Write[] {
  const found = new Map<string, Write>();
  for (const one of writes) {
    const known = found.get(quoteName(one.table));
    if (one.table.name !== name) continue;
    found.set(
      quoteName(one.table),
      known && known.command !== one.command ? { ...one, command: "any" } : one,
    );
  }
  return [...found.values()];
}
