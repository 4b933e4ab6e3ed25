/**
 * Owns tables that inherit from others: in publications, where a table without ONLY brings its children along, which stand
 * there too; and where they are made, with all their parents, and with the columns that they have of their own as well.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";
import { splitStatements } from "../postgres/statements/split.ts";

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

/** A table that inherits from others; a partition is none. */
export interface Child {
  /** As statements name it. */
  name: string;
  parents: string[];
  /** Columns that the table has of its own and of a parent, which are one. */
  merged: { name: string; type: string }[];
}

export async function readChildren(client: pg.ClientBase | pg.Pool): Promise<Child[]> {
  const { rows } = await client.query<{
    schema: string;
    name: string;
    parents: { schema: string; name: string }[];
    merged: Child["merged"];
  }>(
    `select n.nspname as schema, c.relname as name,
       (select pg_catalog.json_agg(pg_catalog.json_build_object('schema', pn.nspname, 'name', p.relname) order by i.inhseqno)
         from pg_catalog.pg_inherits i join pg_catalog.pg_class p on p.oid = i.inhparent
           join pg_catalog.pg_namespace pn on pn.oid = p.relnamespace where i.inhrelid = c.oid) as parents,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname,
           'type', pg_catalog.format_type(a.atttypid, a.atttypmod)) order by a.attnum), '[]')
         from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and a.attislocal and a.attinhcount > 0 and not a.attisdropped) as merged
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and not c.relispartition
       and exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid)`,
  );
  return rows.map(({ parents, merged, ...name }) => ({
    name: quoteName(name),
    parents: parents.map(quoteName),
    merged,
  }));
}

/**
 * The statements, in which these tables are made with all parents, after them, and with their merged columns: pg-delta
 * names one parent, and adds such a column again. Their defaults are settings of tables.
 */
export function withParents(sql: string, children: readonly Child[]): string {
  if (children.length === 0) return sql;
  const creates = new Map(children.map((child) => [`CREATE TABLE ${child.name} () INHERITS (`, child]));
  const added = children.flatMap(({ name, merged }) =>
    merged.map((column) => `ALTER TABLE ${name} ADD COLUMN ${quote(column.name)} `),
  );
  const statements = splitStatements(sql).map(({ text }) => text);
  const later = (from: number, { parents }: Child) =>
    statements.findLastIndex(
      (text, at) => at > from && parents.some((one) => text.startsWith(`CREATE TABLE ${one} (`)),
    );
  const waiting = new Map<number, string[]>();
  const done: string[] = [];
  for (const [at, text] of statements.entries()) {
    const child = [...creates].find(([head]) => text.startsWith(head))?.[1];
    if (child) {
      const columns = child.merged.map(({ name, type }) => `${quote(name)} ${type}`).join(", ");
      const made = `CREATE TABLE ${child.name} (${columns}) INHERITS (${child.parents.join(", ")})`;
      const parent = later(at, child);
      if (parent < 0) done.push(made);
      else waiting.set(parent, [...(waiting.get(parent) ?? []), made]);
    } else if (!added.some((head) => text.startsWith(head))) done.push(text);
    done.push(...(waiting.get(at) ?? []));
  }
  return done.map((text) => `${text};`).join("\n\n");
}
