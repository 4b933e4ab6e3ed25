/** Owns materialized views without rows: Postgres makes one with its rows unless it is told otherwise, and what it reads may not be there. */
import type pg from "pg";
import { quoteName } from "../postgres/quoting.ts";
import { splitStatements } from "../postgres/statements/split.ts";

/** The quoted names of the materialized views that were never filled. */
export async function readUnpopulated(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relkind = 'm' and not c.relispopulated`,
  );
  return rows.map(quoteName);
}

/** The statements, in which these views are made without rows. */
export function withNoData(sql: string, views: readonly string[]): string {
  if (views.length === 0) return sql;
  const heads = views.map((name) => `CREATE MATERIALIZED VIEW ${name} `);
  let text = "";
  let from = 0;
  for (const statement of splitStatements(sql)) {
    if (!heads.some((head) => statement.text.startsWith(head))) continue;
    const end = statement.offset + statement.text.length;
    text += `${sql.slice(from, end)}\nWITH NO DATA`;
    from = end;
  }
  return text + sql.slice(from);
}
