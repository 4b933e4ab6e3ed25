/**
 * Owns partitions whose columns stand in another order than their table's: such a one was a table before, so the
 * statements make it one and attach it. pg-delta would give it its table's order.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";
import { splitStatements } from "../postgres/statements/split.ts";

export interface Reordered {
  /** As statements name it. */
  name: string;
  /** The table that it is part of. */
  table: string;
  columns: string[];
  checks: { name: string; definition: string }[];
  hasPartitions: boolean;
}

const NAMES = (relation: string) =>
  `(select pg_catalog.array_agg(x.attname order by x.attnum) from pg_catalog.pg_attribute x
    where x.attrelid = ${relation} and x.attnum > 0 and not x.attisdropped)`;

/** Reads these partitions, with their columns as CREATE TABLE has them: a default that is not its table's is a setting. */
export async function readReordered(client: pg.ClientBase | pg.Pool): Promise<Reordered[]> {
  const { rows } = await client.query<
    Omit<Reordered, "name" | "table"> & Record<"schema" | "name" | "tableSchema" | "tableName", string>
  >(
    `select n.nspname as schema, c.relname as name, pn.nspname as "tableSchema", p.relname as "tableName", c.relkind = 'p' as "hasPartitions",
       (select pg_catalog.json_agg(pg_catalog.concat(pg_catalog.format('%I %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)),
           case when a.attcollation not in (0, t.typcollation) then pg_catalog.format(' COLLATE %I.%I', cn.nspname, co.collname) end,
           case when a.attgenerated <> '' then pg_catalog.format(' GENERATED ALWAYS AS (%s) STORED', own.text)
             when own.text = usual.text then pg_catalog.format(' DEFAULT %s', own.text) end,
           case when a.attnotnull then ' NOT NULL' end) order by a.attnum)
         from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
           left join pg_catalog.pg_collation co on co.oid = a.attcollation left join pg_catalog.pg_namespace cn on cn.oid = co.collnamespace
           join pg_catalog.pg_attribute pa on pa.attrelid = p.oid and pa.attname = a.attname
           cross join lateral (select (select pg_catalog.pg_get_expr(d.adbin, d.adrelid) from pg_catalog.pg_attrdef d
             where d.adrelid = c.oid and d.adnum = a.attnum) as text) own
           cross join lateral (select (select pg_catalog.pg_get_expr(d.adbin, d.adrelid) from pg_catalog.pg_attrdef d
             where d.adrelid = p.oid and d.adnum = pa.attnum) as text) usual
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', k.conname,
           'definition', pg_catalog.pg_get_constraintdef(k.oid)) order by k.conname), '[]')
         from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'c' and k.coninhcount > 0) as checks
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       join pg_catalog.pg_inherits i on i.inhrelid = c.oid join pg_catalog.pg_class p on p.oid = i.inhparent
       join pg_catalog.pg_namespace pn on pn.oid = p.relnamespace
     where c.relispartition and c.relkind in ('r', 'p') and ${NAMES("c.oid")} <> ${NAMES("p.oid")}`,
  );
  return rows.map(({ schema, name, tableSchema, tableName, ...row }) => ({
    ...row,
    name: quoteName({ schema, name }),
    table: quoteName({ schema: tableSchema, name: tableName }),
  }));
}

/** The statements, in which these partitions are made as tables and attached. */
export function withOwnOrder(sql: string, reordered: readonly Reordered[]): string {
  if (reordered.length === 0) return sql;
  const done: string[] = [];
  for (const { text } of splitStatements(sql)) {
    const [, head, name, bound] =
      /^(CREATE (?:UNLOGGED )?TABLE )(.*?) PARTITION OF .*? (DEFAULT|FOR VALUES .*)$/s.exec(text) ?? [];
    const partition = reordered.find((one) => one.name === name);
    if (!partition || head === undefined || bound === undefined) {
      done.push(text);
      continue;
    }
    // ATTACH asks for the checks that the table has by then, and later ones come from the table.
    const checks = partition.checks
      .map((one) => ({ ...one, head: `CONSTRAINT ${quote(one.name)}` }))
      .filter(({ head }) => done.some((before) => before.includes(`${head} CHECK`)));
    const parts = [...partition.columns, ...checks.map((one) => `${one.head} ${one.definition}`)].join(", ");
    const at = partition.hasPartitions ? bound.lastIndexOf(" PARTITION BY ") : bound.length;
    done.push(
      `${head}${name} (${parts})${bound.slice(at)}`,
      `ALTER TABLE ONLY ${partition.table} ATTACH PARTITION ${name} ${bound.slice(0, at)}`,
    );
  }
  return done.map((text) => `${text};`).join("\n\n");
}
