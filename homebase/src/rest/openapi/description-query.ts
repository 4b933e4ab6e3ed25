/**
 * Owns the query for the parts of the OpenAPI description that the schema cache lacks: comments, lengths,
 * enum labels, and what the requesting role may access. Run only for requests to the root.
 */

export interface DescribedColumn {
  name: string;
  type: string;
  notNull: boolean;
  default: string | null;
  maxLength: number | null;
  enum: string[] | null;
  comment: string | null;
}

export interface DescribedTable {
  name: string;
  comment: string | null;
  columns: DescribedColumn[];
}

/** An overload that the requesting role may call. */
export interface DescribedRoutine {
  oid: string;
  comment: string | null;
  /** Types of its input parameters, printed relative to the request's search path. */
  types: string[];
}

export interface Description {
  comment: string | null;
  tables: DescribedTable[];
}

/** An empty search path, so that types print with their schema. */
export const DESCRIPTION_PATH = "set local search_path = ''";

/** Of the schema `$1`: with `$2`, only what the role has a privilege on. */
const TABLES = `pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and (not $2::boolean
        or pg_has_role(c.relowner, 'USAGE')
        or has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        or has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`;
const ROUTINES = `pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and p.prokind = 'f' and (not $2::boolean or has_function_privilege(p.oid, 'EXECUTE'))`;

/** The names and oids of what the description would contain, in its order; as `visibleIn` of the description. */
export const VISIBLE_QUERY = `
select json_build_array(
  (select coalesce(json_agg(c.relname order by c.relname), '[]') from ${TABLES}),
  (select coalesce(json_agg(p.oid::text order by p.oid), '[]') from ${ROUTINES}))::text`;

/** `$1` the schema, `$2` whether to include only objects that the role has a privilege on. One json value. */
export const DESCRIPTION_QUERY = `
with recursive
base_type(oid, base) as (
  select t.oid, t.oid from pg_type t where t.typtype <> 'd'
  union all
  select d.oid, b.base from pg_type d join base_type b on b.oid = d.typbasetype where d.typtype = 'd'
)
select json_build_object(
  'comment', (select obj_description(n.oid, 'pg_namespace') from pg_namespace n where n.nspname = $1),
  'tables', (select coalesce(json_agg(json_build_object(
      'name', c.relname, 'comment', obj_description(c.oid, 'pg_class'),
      'columns', (select coalesce(json_agg(json_build_object(
          'name', a.attname, 'type', format_type(case when t.typtype = 'd' and bt.typnamespace = 'pg_catalog'::regnamespace
            then b.base else a.atttypid end, case when bt.typnamespace <> 'pg_catalog'::regnamespace then a.atttypmod end),
          'notNull', a.attnotnull or t.typtype = 'd' and t.typnotnull,
          'default', case when d.adbin is null then pg_get_expr(t.typdefaultbin, 0)
            when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
          'maxLength', information_schema._pg_char_max_length(b.base,
            case when t.typtype = 'd' then t.typtypmod else a.atttypmod end),
          'enum', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = b.base),
          'comment', col_description(c.oid, a.attnum)) order by a.attnum), '[]')
        from pg_attribute a
        join pg_type t on t.oid = a.atttypid
        join base_type b on b.oid = t.oid
        join pg_type bt on bt.oid = b.base
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) order by c.relname), '[]')
    from ${TABLES})
)::text`;

/**
 * `$1` the schema, `$2` whether to include only functions that the role may call: every overload, as one json
 * list. Run with the request's search path: types in it print without schema, as upstream (PostgREST,
 * Catalog/Query.hs).
 */
export const ROUTINES_QUERY = `
select coalesce(json_agg(json_build_object(
  'oid', p.oid::text, 'comment', obj_description(p.oid, 'pg_proc'),
  'types', (select coalesce(json_agg(format_type(t.oid, null) order by t.ord), '[]')
    from unnest(p.proargtypes::oid[]) with ordinality t(oid, ord)))), '[]')::text
from ${ROUTINES}`;
