/** Owns asking one of the questions of `inspect db`. */
import type pg from "pg";
import { UserError } from "../../src/core/user-error.ts";
import { quote } from "../../src/postgres/quoting.ts";
import type { Inspection } from "./queries.ts";

/** The extension that an inspection reads is not there. */
export class ExtensionMissing extends UserError {}

/** Column names and values as text. */
export interface Answer {
  columns: string[];
  rows: string[][];
}

/** @throws ExtensionMissing */
export async function inspect(client: pg.Client, { sql, needs }: Inspection): Promise<Answer> {
  const text = needs === undefined ? sql : `${await statements(client, needs)} ${sql}`;
  const result = await client.query<(string | null)[]>({
    text,
    rowMode: "array",
    types: { getTypeParser: () => (value: string | Buffer) => String(value) },
  });
  return {
    columns: result.fields.map(({ name }) => name),
    rows: result.rows.map((row) => row.map((value) => shown(value))),
  };
}

function shown(value: string | null): string {
  return value === null ? "" : value === "t" ? "yes" : value === "f" ? "no" : value;
}

/** `pg_stat_statements` with the names of its columns from before Postgres 17. */
async function statements(client: pg.Client, name: string): Promise<string> {
  const { rows } = await client.query<{ schema: string; split: boolean }>(
    `select n.nspname as schema, exists (select 1 from pg_attribute where attrelid = to_regclass(format('%I.%I', n.nspname, e.extname))
       and attname = 'shared_blk_read_time') as split
     from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = $1`,
    [name],
  );
  const [found] = rows;
  if (!found)
    throw new ExtensionMissing(`The database does not have the extension ${name}: create extension ${name}`);
  const times = found.split
    ? ", shared_blk_read_time as blk_read_time, shared_blk_write_time as blk_write_time"
    : "";
  return `with statements as (select *${times} from ${quote(found.schema)}.${quote(name)})`;
}
