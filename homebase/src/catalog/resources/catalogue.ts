/** Owns the kinds of objects that are only read: types, indexes, Postgres's settings and its version. */
import {
  type Call,
  type Endpoint,
  type Listing,
  list,
  parametersOf,
  readers,
} from "../catalogue-endpoint.ts";

const everyType: Listing = {
  noun: "a type with ID",
  id: "t.oid",
  schema: "n.nspname",
  order: "n.nspname, t.typname",
  fields: `t.oid::int8 as id, t.typname as name, n.nspname as schema, format_type(t.oid, null) as format,
    coalesce((select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
      where e.enumtypid = t.oid), '[]') as enums,
    coalesce((select json_agg(json_build_object('name', a.attname, 'type_id', a.atttypid::int8) order by a.attnum)
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attrelid = t.typrelid and c.relkind = 'c' and not a.attisdropped), '[]') as attributes,
    obj_description(t.oid, 'pg_type') as comment,
    nullif(t.typrelid::int8, 0) as type_relation_id`,
  from: `from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where (t.typrelid = 0 or exists (select 1 from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))`,
};
const types: Listing = {
  ...everyType,
  from: `${everyType.from}
    and not exists (select 1 from pg_type e where e.oid = t.typelem and e.typarray = t.oid)`,
};

const indexes: Listing = {
  noun: "a index with ID",
  id: "i.indexrelid",
  schema: "n.nspname",
  order: "n.nspname, c.relname",
  fields: `i.indexrelid::int8 as id, i.indrelid::int8 as table_id, n.nspname as schema,
    i.indnatts as number_of_attributes, i.indnkeyatts as number_of_key_attributes,
    i.indisunique as is_unique, i.indisprimary as is_primary, i.indisexclusion as is_exclusion,
    i.indimmediate as is_immediate, i.indisclustered as is_clustered, i.indisvalid as is_valid,
    i.indcheckxmin as check_xmin, i.indisready as is_ready, i.indislive as is_live,
    i.indisreplident as is_replica_identity, i.indkey::int2[] as key_attributes,
    i.indcollation::int4[] as collation, i.indclass::int4[] as class, i.indoption::int2[] as options,
    i.indpred as index_predicate, obj_description(i.indexrelid, 'pg_class') as comment,
    pg_get_indexdef(i.indexrelid) as index_definition, m.amname as access_method,
    (select json_agg(json_build_object('attribute_number', a.attnum, 'attribute_name', a.attname,
        'data_type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
      from pg_attribute a where a.attrelid = i.indexrelid) as index_attributes`,
  from: `from pg_index i join pg_class c on c.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace join pg_am m on m.oid = c.relam where true`,
};

const config: Listing = {
  noun: "a setting named",
  id: "name",
  order: "category, name",
  fields: `name, setting, category, trim(split_part(category, '/', 1)) as "group",
    trim(split_part(category, '/', 2)) as subgroup, unit, short_desc, extra_desc, context, vartype, source,
    min_val, max_val, enumvals, boot_val, reset_val, sourcefile, sourceline, pending_restart`,
  from: "from pg_settings where true",
};

export const listTypes: Endpoint = (call) =>
  list(call, parametersOf(call).include_array_types ? everyType : types);

export const indexEndpoints = readers(indexes);

export const listConfig: Endpoint = (call) => list(call, config);

export async function version({ session }: Call): Promise<unknown> {
  const [row] = await session.rows(
    `select version(), current_setting('server_version_num')::int8 as version_number,
      (select count(*) from pg_stat_activity) as active_connections,
      current_setting('max_connections')::int8 as max_connections`,
  );
  return row;
}
