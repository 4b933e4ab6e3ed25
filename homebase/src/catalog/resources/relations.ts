/**
 * Owns the catalogue of relations and their columns (shapes: supabase/postgres-meta, lib/types.ts). It also shows
 * objects of other roles that the connecting role has a privilege for.
 */
import { columnUpdatable, relationUpdatable } from "../../postgres/updatable.ts";
import type { Listing } from "../catalogue-endpoint.ts";
import type { Row } from "../session.ts";

/** The fields that writing a table needs. */
export interface Relation extends Row {
  id: number;
  schema: string;
  name: string;
  primary_keys: { name: string }[];
}

/** The fields that writing a column needs. */
export interface Column extends Row {
  table_id: number;
  schema: string;
  table: string;
  ordinal_position: number;
  name: string;
  is_identity: boolean;
  is_unique: boolean;
}

/** A domain is shown as its base type, as in information_schema. */
export const columns: Listing = {
  noun: "a column with ID",
  id: "(r.oid || '.' || a.attnum)",
  schema: "rn.nspname",
  order: "rn.nspname, r.relname, a.attnum",
  fields: `r.oid::int8 as table_id, rn.nspname as schema, r.relname as "table",
      r.oid || '.' || a.attnum as id, a.attnum as ordinal_position, a.attname as name,
      (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
        where a.atthasdef and d.adrelid = a.attrelid and d.adnum = a.attnum) as default_value,
      case when base.typelem <> 0 and base.typlen = -1 then 'ARRAY'
        when base.typnamespace = 'pg_catalog'::regnamespace then format_type(base.oid, null)
        else 'USER-DEFINED' end as data_type,
      base.typname as format,
      a.attidentity <> '' as is_identity,
      case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end as identity_generation,
      a.attgenerated = 's' as is_generated,
      not (a.attnotnull or (t.typtype = 'd' and t.typnotnull)) as is_nullable,
      r.relkind in ('r', 'p')
        or (r.relkind in ('v', 'f') and ${columnUpdatable("r.oid", "a.attnum")}) as is_updatable,
      exists (select 1 from pg_constraint k
        where k.conrelid = r.oid and k.contype = 'u' and k.conkey = array[a.attnum]) as is_unique,
      (select pg_get_expr(k.conbin, k.conrelid, true) from pg_constraint k
        where k.conrelid = r.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        order by k.oid limit 1) as "check",
      coalesce((select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
        where e.enumtypid in (base.oid, base.typelem)), '[]') as enums,
      col_description(r.oid, a.attnum) as comment`,
  from: `
    from pg_attribute a
      join pg_class r on r.oid = a.attrelid
      join pg_namespace rn on rn.oid = r.relnamespace
      join pg_type t on t.oid = a.atttypid
      join pg_type base on base.oid = case t.typtype when 'd' then t.typbasetype else t.oid end
    where a.attnum > 0 and not a.attisdropped and r.relkind in ('r', 'v', 'm', 'f', 'p')
      and not pg_is_other_temp_schema(rn.oid)
      and (pg_has_role(r.relowner, 'USAGE')
        or has_column_privilege(r.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'))`,
};

/** A foreign key of several columns has one entry for each pair of them, as upstream. */
export const tables: Listing = {
  noun: "a table with ID",
  id: "c.oid",
  schema: "n.nspname",
  order: "n.nspname, c.relname",
  withColumns: true,
  fields: `c.oid::int8 as id, n.nspname as schema, c.relname as name,
      c.relrowsecurity as rls_enabled, c.relforcerowsecurity as rls_forced,
      case c.relreplident when 'd' then 'DEFAULT' when 'i' then 'INDEX' when 'f' then 'FULL'
        else 'NOTHING' end as replica_identity,
      pg_total_relation_size(c.oid)::int8 as bytes,
      pg_size_pretty(pg_total_relation_size(c.oid)) as size,
      pg_stat_get_live_tuples(c.oid) as live_rows_estimate,
      pg_stat_get_dead_tuples(c.oid) as dead_rows_estimate,
      obj_description(c.oid, 'pg_class') as comment,
      coalesce((select json_agg(json_build_object('table_id', c.oid::int8, 'schema', n.nspname,
            'table_name', c.relname, 'name', a.attname) order by array_position(i.indkey, a.attnum))
          from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
          where i.indisprimary and i.indrelid = c.oid), '[]') as primary_keys,
      coalesce(fk.relationships, '[]') as relationships`,
  from: `
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join (
        select side.relation, json_agg(json_build_object('id', k.oid::int8, 'constraint_name', k.conname,
            'source_schema', sn.nspname, 'source_table_name', s.relname, 'source_column_name', sa.attname,
            'target_table_schema', tn.nspname, 'target_table_name', t.relname, 'target_column_name', ta.attname)
            order by k.conname, k.oid, sa.attnum, ta.attnum) as relationships
        from pg_constraint k
          cross join lateral (select distinct unnest(array[k.conrelid, k.confrelid]) as relation) side
          join pg_class s on s.oid = k.conrelid join pg_namespace sn on sn.oid = s.relnamespace
          join pg_attribute sa on sa.attrelid = s.oid and sa.attnum = any (k.conkey)
          join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
          join pg_attribute ta on ta.attrelid = t.oid and ta.attnum = any (k.confkey)
        where k.contype = 'f' group by side.relation) fk on fk.relation = c.oid
    where c.relkind in ('r', 'p') and not pg_is_other_temp_schema(n.oid)
      and (pg_has_role(c.relowner, 'USAGE')
        or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`,
};

const VIEW = {
  id: "c.oid",
  schema: "n.nspname",
  order: "n.nspname, c.relname",
} as const;
const FROM = "from pg_class c join pg_namespace n on n.oid = c.relnamespace";
const NAMED = "c.oid::int8 as id, n.nspname as schema, c.relname as name";
const COMMENT = "obj_description(c.oid, 'pg_class') as comment";

/** Inserts and updates both count, as in information_schema.views. */
export const views: Listing = {
  ...VIEW,
  noun: "a view with ID",
  withColumns: true,
  fields: `${NAMED}, (${relationUpdatable("c.oid", false)}) & 20 = 20 as is_updatable, ${COMMENT}`,
  from: `${FROM} where c.relkind = 'v'`,
};

export const materializedViews: Listing = {
  ...VIEW,
  noun: "a materialized view with ID",
  hidden: [],
  withColumns: false,
  fields: `${NAMED}, c.relispopulated as is_populated, ${COMMENT}`,
  from: `${FROM} where c.relkind = 'm'`,
};

export const foreignTables: Listing = {
  ...VIEW,
  noun: "a foreign table with ID",
  hidden: [],
  withColumns: true,
  fields: `${NAMED}, ${COMMENT}`,
  from: `${FROM} where c.relkind = 'f'`,
};

/** The listing with each relation's columns as a JSON array. */
export function withColumns(listing: Listing): Listing {
  return {
    ...listing,
    fields: `${listing.fields}, coalesce((select json_agg(one order by one.ordinal_position) from (
      select ${columns.fields} ${columns.from} and r.oid = ${listing.id}) one), '[]') as columns`,
  };
}
