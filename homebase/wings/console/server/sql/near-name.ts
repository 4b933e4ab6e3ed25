/** Owns the name that a wrong one may have meant: of a column or a table that is there. */
import type pg from "pg";
import { FuzzySet } from "../../../../src/rest/fuzzy.ts";
import { NOT_PLATFORM } from "../../../../src/tools/platform-schemas.ts";
import { inDatabase, type Source } from "../owner-connections.ts";

const SIMILAR = 0.4;
const COLUMN = /^column "?([^"]+?)"?(?: of relation "([^"]+)")? does not exist/;
const TABLE = /^relation "(.+)" does not exist/;
/** Postgres's own search looks only at the tables of the statement, with their aliases. */
const MEANT = /reference the column "(.+?)"/;

const TABLES = `select c.relname as name, concat_ws('.', nullif(n.nspname, 'public'), c.relname) as whole from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname ${NOT_PLATFORM}`;
const COLUMNS = `select distinct a.attname as name, concat(c.relname, '.', a.attname) as whole from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relname = any ($1) and n.nspname <> 'pg_catalog'`;

/** @param text the statements: columns are looked for in the tables that they name. @returns a sentence */
export async function nearName(
  source: Source,
  { code, message, hint }: pg.DatabaseError,
  text: string,
): Promise<string | undefined> {
  if (code === "42703") {
    const meant = MEANT.exec(hint ?? "")?.[1];
    if (meant !== undefined) return `There is ${meant}.`;
    const [, wanted = "", relation] = COLUMN.exec(message) ?? [];
    const named = relation === undefined ? (text.match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []) : [relation];
    return nearest(source, wanted, COLUMNS, [named]);
  }
  return code === "42P01" ? nearest(source, TABLE.exec(message)?.[1] ?? "", TABLES, []) : undefined;
}

/** @param text a query of names and what they are called in full */
async function nearest(
  source: Source,
  wanted: string,
  text: string,
  values: unknown[],
): Promise<string | undefined> {
  const { rows } = await inDatabase(source, (client) =>
    client.query<{ name: string; whole: string }>(text, values),
  );
  const bare = wanted.slice(wanted.lastIndexOf(".") + 1);
  const near = new FuzzySet(rows.map(({ name }) => name)).closest(bare, SIMILAR);
  const found = rows.find(({ name }) => name === near);
  return found && `There is ${found.whole}.`;
}
