/**
 * Owns tables that move to another schema, become partitions, begin or cease to inherit, and partitions that get other
 * bounds: they keep their rows, where pg-delta drops and makes them.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";

interface TableInTree {
  schema: string;
  name: string;
  kind: string;
  /** Names of all columns in their order, and of those that it has of its own. */
  columns: string[];
  own: string[];
  /** What a table under it must have: columns and checks. */
  needs: string[];
  /** By the parent's name as statements name it: the bound of a partition, or null. */
  parents: ReadonlyMap<string, string | null>;
}
export type TableTree = ReadonlyMap<string, TableInTree>;

/** The project's tables by their names as statements name them. @param schemas only what is in these; all without. */
export async function readTree(client: pg.ClientBase, schemas?: readonly string[]): Promise<TableTree> {
  const { rows } = await client.query<{
    schema: string;
    name: string;
    kind: string;
    columns: string[];
    own: string[];
    needs: string[];
    parents: { schema: string; name: string }[];
    bound: string | null;
  }>(
    `select n.nspname as schema, c.relname as name, c.relkind as kind, pg_catalog.pg_get_expr(c.relpartbound, c.oid) as bound,
       array(select a.attname::text from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
       array(select a.attname::text from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attislocal) as own,
       array(select pg_catalog.format('%I %s %s', a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull)
         from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         union all select conname || pg_catalog.pg_get_constraintdef(x.oid) from pg_catalog.pg_constraint x
           where x.conrelid = c.oid and x.contype = 'c' and not x.connoinherit) as needs,
       coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('schema', pn.nspname, 'name', p.relname) order by i.inhseqno)
         from pg_catalog.pg_inherits i join pg_catalog.pg_class p on p.oid = i.inhparent
           join pg_catalog.pg_namespace pn on pn.oid = p.relnamespace where i.inhrelid = c.oid), '[]') as parents
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and c.relpersistence <> 't' and n.nspname !~ '^(pg_|information_schema$)'
       and pg_catalog.pg_get_userbyid(c.relowner) !~ '^supabase_' and ($1::text[] is null or n.nspname = any ($1))
       and not exists (select from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')`,
    [schemas ?? null],
  );
  return new Map(
    rows.map(({ parents, bound, ...table }) => [
      quoteName(table),
      { ...table, parents: new Map(parents.map((one) => [quoteName(one), bound])) },
    ]),
  );
}

/**
 * The statements that move tables. A table that lacks a column of its new parent is left to pg-delta.
 * @param schemas those that are there.
 */
export function movedTables(had: TableTree, wanted: TableTree, schemas: ReadonlySet<string>): string[] {
  const { statements, made } = toOtherSchemas(had, wanted, schemas);
  const away: string[] = [];
  const under: string[] = [];
  for (const [name, { kind, needs, parents }] of made) {
    const target = wanted.get(name);
    if (target?.kind !== kind) continue;
    const gone = [...parents].filter(([parent, bound]) => target.parents.get(parent) !== bound);
    const come = [...target.parents].filter(([parent, bound]) => parents.get(parent) !== bound);
    // A column that a table had before it inherits stays its own, in which it may differ from the wanted one.
    const fits = come.every(([parent, bound]) => {
      const above = made.get(parent);
      if (!above?.needs.every((one) => needs.includes(one))) return false;
      return bound !== null || above.columns.every((one) => target.own.includes(one));
    });
    if (!fits) continue;
    for (const [parent, bound] of gone)
      away.push(
        bound === null
          ? `ALTER TABLE ${name} NO INHERIT ${parent};`
          : `ALTER TABLE ${parent} DETACH PARTITION ${name};`,
      );
    for (const [parent, bound] of come)
      under.push(
        bound === null
          ? `ALTER TABLE ${name} INHERIT ${parent};`
          : `ALTER TABLE ${parent} ATTACH PARTITION ${name} ${bound};`,
      );
  }
  return [...statements, ...away, ...under];
}

/** The tables that are gone from a schema while another has a new one of the same name and columns; and the tree after it. */
function toOtherSchemas(had: TableTree, wanted: TableTree, schemas: ReadonlySet<string>) {
  const like = (one: TableInTree) => JSON.stringify([one.name, one.kind, one.columns]);
  const only = (here: TableTree, there: TableTree) =>
    Map.groupBy(
      [...here].filter(([name]) => !there.has(name)),
      ([, one]) => like(one),
    );
  const added = only(wanted, had);
  const moved = new Map<string, string>();
  const statements: string[] = [];
  const known = new Set(schemas);
  for (const [key, gone] of only(had, wanted)) {
    const [from, to] = [gone, added.get(key) ?? []];
    const [[before], [after, table]] = [from[0] ?? [], to[0] ?? []];
    if (from.length !== 1 || to.length !== 1 || !before || !after || !table) continue;
    if (!known.has(table.schema)) statements.push(`CREATE SCHEMA ${quote(table.schema)};`);
    known.add(table.schema);
    statements.push(`ALTER TABLE ${before} SET SCHEMA ${quote(table.schema)};`);
    moved.set(before, after);
  }
  const called = (name: string) => moved.get(name) ?? name;
  const made: TableTree = new Map(
    [...had].map(([name, one]) => [
      called(name),
      { ...one, parents: new Map([...one.parents].map(([parent, bound]) => [called(parent), bound])) },
    ]),
  );
  return { statements, made };
}
