/** Owns saving staged changes: one transaction, by keys only, that is undone unless each statement touches one row. */
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../../../../src/postgres/quoting.ts";
import type { Change, DataTable, Lens, Values } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase, type Source } from "../owner-connections.ts";
import type { Reasons } from "../why.ts";
import { asCaller, callerOf } from "./lens.ts";
import { keyText, withheldFrom } from "./rows.ts";
import { readTable } from "./tables.ts";

const NONE = "These are no changes.";
const NOTHING = "Nothing was saved.";
/** The status of a statement that has touched no row, or several. */
const UNTOUCHED = 409;
/** Postgres's code of what grants and policies refuse. */
const REFUSED = "42501";
interface Statement {
  change: Change;
  text: string;
  /** What it is about, for a message. */
  about: string;
}

/** @throws CallRefused for what touches another number of rows than one, and Postgres's errors */
export async function write(
  asked: Source,
  { as, changes, save }: { as: Lens; changes: readonly Change[]; save: boolean },
  reasons?: Reasons,
): Promise<{ sql: string[] }> {
  // A save goes on when its page no longer waits.
  const source: Source = save ? { backend: asked.backend } : asked;
  const caller = await callerOf(source, as);
  const statements = await statementsOf(source, changes, caller?.role);
  const sql = statements.map(({ text }) => `${text};`);
  if (!save) return { sql };
  const [first] = changes;
  let refused = first;
  const work = (client: pg.ClientBase) =>
    carryOut(client, statements, (change) => {
      refused = change;
    });
  if (caller && first) {
    const options = { table: first.table, writes: true };
    await asCaller(source, caller, work, options).catch(async (error: unknown) => {
      const { code, status } = error as { code?: unknown; status?: unknown };
      const byPolicy = code === REFUSED || status === UNTOUCHED;
      const why = byPolicy && refused ? await reasons?.ofChange(as, refused).catch(() => undefined) : [];
      if (!why?.length) throw error;
      throw new CallRefused(422, [NOTHING, ...why].join(" "));
    });
  } else
    await inDatabase(source, async (client) => {
      // The connection ends with this call, and with it a transaction that was not committed.
      await client.query("begin; set local statement_timeout = '10s'");
      await work(client);
      await client.query("commit");
    });
  return { sql };
}

/** @param begin called with each change before its statement */
async function carryOut(
  client: pg.ClientBase,
  statements: readonly Statement[],
  begin: (change: Change) => void,
): Promise<void> {
  for (const { change, text, about } of statements) {
    begin(change);
    const { rowCount } = await client.query(text).catch((error: Error) => {
      // Of several changes Postgres does not say which one it refuses.
      if (statements.length > 1) error.message = `${about}: ${error.message}`;
      throw error;
    });
    if (rowCount !== 1)
      throw new CallRefused(
        UNTOUCHED,
        rowCount === 0
          ? `${about} is not as it was shown, or a policy or a trigger keeps it from being written. ${NOTHING}`
          : `${about}: the statement touched ${rowCount} rows instead of one. ${NOTHING}`,
      );
  }
}

/** @param role of the lens, which compares no column that it may not select */
async function statementsOf(
  source: Source,
  changes: readonly Change[],
  role: string | undefined,
): Promise<Statement[]> {
  return inDatabase(source, async (client) => {
    const known = new Map<string, DataTable>();
    const statements: Statement[] = [];
    for (const change of changes) {
      const name = quoteName(change.table);
      const table =
        known.get(name) ?? (await readTable(client, change.table, source.backend.config.api.schemas));
      known.set(name, table);
      const withheld = role === undefined ? [] : await withheldFrom(client, table, role);
      statements.push({ change, ...statementOf(table, change, withheld) });
    }
    return statements;
  });
}

function statementOf(
  table: DataTable,
  change: Change,
  withheld: readonly string[],
): Omit<Statement, "change"> {
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
  const was = columnsOf(change.was)
    .filter((column) => !withheld.includes(column))
    .map((column) => `${quote(column)}::text is not distinct from ${literal(change.was[column])}`);
  return { about, text: `update ${name} set ${set.join(", ")} where ${[where, ...was].join(" and ")}` };
}

function literal(value: string | null | undefined): string {
  return value === null || value === undefined ? "null" : quoteLiteral(value);
}
