/** Owns tables that others inherit from, in publications: without ONLY they bring their children along, which stand there too. */
import type pg from "pg";
import { quoteName } from "../postgres/quoting.ts";

/** The quoted names of the tables that others inherit from; partitioned ones are published as one. */
export async function readParents(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select distinct n.nspname as schema, c.relname as name from pg_catalog.pg_inherits i
     join pg_catalog.pg_class c on c.oid = i.inhparent join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' order by 1, 2`,
  );
  return rows.map(quoteName);
}

/** The statements, with ONLY before each of these tables in a publication. */
export function onlyParents(sql: string, parents: readonly string[]): string {
  if (parents.length === 0) return sql;
  return sql.replace(/^(?:CREATE|ALTER) PUBLICATION .*$/gm, (statement) =>
    parents.reduce(
      (text, name) =>
        text.replaceAll(
          new RegExp(`(?<=TABLE |, )${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?=[ ,;(]|$)`, "g"),
          () => `ONLY ${name}`,
        ),
      statement,
    ),
  );
}
