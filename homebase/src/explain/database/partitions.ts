/**
 * Owns which table a statement names, where its plan reads partitions or children: only the policies of the table that
 * is named decide (PostgreSQL documentation, "Row Security Policies" and "Inheritance").
 */
import { arrayLiteral, quoteName } from "../../postgres/quoting.ts";
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import type { Scan } from "../trace.ts";
import type { Session } from "./explanation-transaction.ts";

/** Pairs of a given table and one that it is a partition or a child of, at whatever distance, the nearest first. */
const ABOVE = `
with recursive above as (
  select i.inhrelid as child, i.inhparent as oid, 1 as height from pg_catalog.pg_inherits i
  where i.inhrelid = any (array(select pg_catalog.to_regclass(one)::pg_catalog.oid from pg_catalog.unnest($1::text[]) as one))
  union all
  select a.child, i.inhparent, a.height + 1 from above a join pg_catalog.pg_inherits i on i.inhrelid = a.oid)
select cn.nspname as child_schema, c.relname as child_name, n.nspname as schema, t.relname as name
from above a join pg_catalog.pg_class c on c.oid = a.child join pg_catalog.pg_namespace cn on cn.oid = c.relnamespace
  join pg_catalog.pg_class t on t.oid = a.oid join pg_catalog.pg_namespace n on n.oid = t.relnamespace
order by a.height`;

/**
 * The scans with those of a named table's partitions put together, where their conditions are the same.
 * @param isNamed whether the statement names a table. Of a partition and the tables above it, the nearest named one
 * counts, or else the highest.
 */
export async function namedScans(
  session: Session,
  scans: readonly Scan[],
  isNamed: (table: QualifiedName) => boolean,
): Promise<Scan[]> {
  const names = [...new Set(scans.map(({ table }) => quoteName(table)))].sort();
  const found =
    names.length === 0 ? [] : await session.known<Record<string, string>>(ABOVE, [arrayLiteral(names)]);
  const above = new Map<string, QualifiedName[]>();
  for (const { child_schema = "", child_name = "", schema = "", name = "" } of found) {
    const child = quoteName({ schema: child_schema, name: child_name });
    above.set(child, [...(above.get(child) ?? []), { schema, name }]);
  }
  const named = new Map<string, Scan>();
  for (const scan of scans) {
    const line = [scan.table, ...(above.get(quoteName(scan.table)) ?? [])];
    const table = line.find(isNamed) ?? line.at(-1) ?? scan.table;
    const whole = quoteName(table) !== quoteName(scan.table);
    // Each partition has an alias of its own: `visits_1.day`.
    const conditions = scan.conditions.map((one) => one.replaceAll(`${scan.alias}.`, "."));
    const key = JSON.stringify([
      table,
      scan.command,
      ...(whole ? [conditions] : [scan.alias, scan.conditions]),
    ]);
    if (!named.has(key)) named.set(key, { ...scan, table });
  }
  return [...named.values()];
}

/** Whether a text has the name as a word of its own. */
export function hasName(text: string, { name }: QualifiedName): boolean {
  const escaped = name.replace(/[^\w]/g, "\\$&");
  return new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`, "i").test(text);
}
