/**
 * Owns the names of the indexes that partitions have for their table's: Postgres makes them with the table's index, by
 * names of its own, and a project may have named them otherwise. A constraint has its index's name.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";

/** The name of each index, by its partition and the index of the topmost table. */
export type PartitionIndexes = ReadonlyMap<string, { schema: string; name: string }>;

export async function readPartitionIndexes(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<PartitionIndexes> {
  const { rows } = await client.query<{ key: string; schema: string; name: string }>(
    `with recursive below (top, index) as (
       select i.oid, i.oid from pg_catalog.pg_class i where i.relkind = 'I' and not i.relispartition
       union all
       select below.top, h.inhrelid from below join pg_catalog.pg_inherits h on h.inhparent = below.index
     )
     select pg_catalog.format('%I.%I %I', tn.nspname, t.relname, top.relname) as key, n.nspname as schema, i.relname as name
     from below join pg_catalog.pg_class i on i.oid = below.index and i.relispartition
       join pg_catalog.pg_namespace n on n.oid = i.relnamespace
       join pg_catalog.pg_index x on x.indexrelid = i.oid join pg_catalog.pg_class t on t.oid = x.indrelid
       join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace join pg_catalog.pg_class top on top.oid = below.top
     where n.nspname !~ '^(pg_|information_schema$)' and pg_catalog.pg_get_userbyid(i.relowner) !~ '^supabase_'
       and not exists (select 1 from pg_catalog.pg_depend d where d.objid = t.oid and d.deptype = 'e')
     order by 1`,
  );
  const chosen = rows.filter(({ schema }) => !schemas || schemas.includes(schema));
  return new Map(chosen.map(({ key, ...name }) => [key, name]));
}

/** The statements that give the indexes of `made` their names in `wanted`. */
export function renamedIndexes(made: PartitionIndexes, wanted: PartitionIndexes): string[] {
  const renames = [...wanted].flatMap(([key, { name }]) => {
    const before = made.get(key);
    return before && before.name !== name ? [{ ...before, to: name }] : [];
  });
  const rename = (schema: string, name: string, to: string) =>
    `ALTER INDEX ${quoteName({ schema, name })} RENAME TO ${quote(to)};`;
  const taken = new Set(renames.map(({ schema, name }) => quoteName({ schema, name })));
  // Two indexes may have each other's names, so a name that is still taken is reached by another one.
  const first: string[] = [];
  const then = renames.map(({ schema, name, to }, at) => {
    if (!taken.has(quoteName({ schema, name: to }))) return rename(schema, name, to);
    first.push(rename(schema, name, `homebase_renamed_${at}`));
    return rename(schema, `homebase_renamed_${at}`, to);
  });
  return [...first, ...then];
}
