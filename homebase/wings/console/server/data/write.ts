/** Owns saving staged changes: one transaction, by keys only, that is undone unless each statement touches one row. */
import type pg from "pg";
import { z } from "zod";
import { quote, quoteLiteral, quoteName } from "../../../../src/postgres/quoting.ts";
import type { Change, DataTable, Lens, Values } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase, type Source } from "../owner-connections.ts";
import { asCaller, callerOf } from "./lens.ts";
import { keyText } from "./rows.ts";
import { readTable } from "./tables.ts";

const MOST = 500;
const table = z.strictObject({ schema: z.string(), name: z.string() });
const values = z.record(z.string(), z.string().nullable());
const key = z.array(z.string()).min(1, "These are no changes.");
const NONE = "These are no changes.";
export const changesAsk = z
  .array(
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("update"), table, key, values, was: values }),
      z.strictObject({ kind: z.literal("insert"), table, values }),
      z.strictObject({ kind: z.literal("delete"), table, key }),
    ]),
    NONE,
  )
  .min(1, NONE)
  .max(MOST);

interface Statement {
  text: string;
  /** What it is about, for a message. */
  about: string;
}

/** @throws CallRefused for what touches another number of rows than one, and Postgres's errors */
export async function write(
  asked: Source,
  { as, changes, save }: { as: Lens; changes: readonly Change[]; save: boolean },
): Promise<{ sql: string[] }> {
  // A save goes on when its page no longer waits.
  const source: Source = save ? { backend: asked.backend } : asked;
  const statements = await statementsOf(source, changes);
  const sql = statements.map(({ text }) => `${text};`);
  if (!save) return { sql };
  const caller = await callerOf(source, as);
  const [first] = changes;
  if (caller && first)
    await asCaller(source, caller, (client) => carryOut(client, statements), {
      table: first.table,
      writes: true,
    });
  else
    await inDatabase(source, async (client) => {
      // The connection ends with this call, and with it a transaction that was not committed.
      await client.query("begin; set local statement_timeout = '10s'");
      await carryOut(client, statements);
      await client.query("commit");
    });
  return { sql };
}

async function carryOut(client: pg.ClientBase, statements: readonly Statement[]): Promise<void> {
  for (const { text, about } of statements) {
    const { rowCount } = await client.query(text);
    if (rowCount !== 1)
      throw new CallRefused(
        409,
        rowCount === 0
          ? `${about} is not as it was shown, or a policy or a trigger keeps it from being written. Nothing was saved.`
          : `${about}: the statement touched ${rowCount} rows instead of one. Nothing was saved.`,
      );
  }
}

async function statementsOf(source: Source, changes: readonly Change[]): Promise<Statement[]> {
  return inDatabase(source, async (client) => {
    const known = new Map<string, DataTable>();
    const statements: Statement[] = [];
    for (const change of changes) {
      const name = quoteName(change.table);
      const table =
        known.get(name) ?? (await readTable(client, change.table, source.backend.config.api.schemas));
      known.set(name, table);
      statements.push(statementOf(table, change));
    }
    return statements;
  });
}

function statementOf(table: DataTable, change: Change): Statement {
  const name = quoteName(table);
  const columnsOf = (given: Values) =>
    Object.keys(given).map((one) => {
      const column = table.columns.find(({ name }) => name === one);
      if (!column || column.made) throw new CallRefused(422, `${table.name} has no column ${one} to write.`);
      return one;
    });
  if (change.kind === "insert") {
    const columns = columnsOf(change.values);
    const into = `insert into ${name}`;
    const about = `The new row of ${table.name}`;
    if (columns.length === 0) return { about, text: `${into} default values` };
    const literals = columns.map((column) => literal(change.values[column]));
    return { about, text: `${into} (${columns.map(quote).join(", ")}) values (${literals.join(", ")})` };
  }
  if (table.key.length === 0 || table.key.length !== change.key.length)
    throw new CallRefused(422, `Rows of ${table.name} cannot be told apart, so none is changed.`);
  const about = `${table.name} ${change.key.join(", ")}`;
  const where = keyText(table, change.key);
  if (change.kind === "delete") return { about, text: `delete from ${name} where ${where}` };
  const columns = columnsOf(change.values);
  if (columns.length === 0) throw new CallRefused(400, NONE);
  const set = columns.map((column) => `${quote(column)} = ${literal(change.values[column])}`);
  // A row that somebody has changed meanwhile is not written over.
  const was = columnsOf(change.was).map(
    (column) => `${quote(column)}::text is not distinct from ${literal(change.was[column])}`,
  );
  return { about, text: `update ${name} set ${set.join(", ")} where ${[where, ...was].join(" and ")}` };
}

function literal(value: string | null | undefined): string {
  return value === null || value === undefined ? "null" : quoteLiteral(value);
}
