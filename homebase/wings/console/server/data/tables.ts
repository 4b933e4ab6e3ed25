/** Owns what the Data view knows of tables: columns, keys, and where foreign keys lead. */
import type pg from "pg";
import { NOT_PLATFORM } from "../../../../src/tools/platform-schemas.ts";
import type { DataTable, TableName, Tables } from "../api.ts";
import { CallRefused } from "../call-refused.ts";

/** Types that have no order. */
const UNSORTABLE = "'json','xml','point','line','lseg','box','path','polygon','circle'";

/** The names of a constraint's columns in its own order, as JSON; `k` is the constraint. */
export function columnsOf(table: "conrelid" | "confrelid", numbers: "conkey" | "confkey"): string {
  return `(select pg_catalog.json_agg(a.attname order by u.place) from pg_catalog.unnest(k.${numbers}) with ordinality u(number, place)
    join pg_catalog.pg_attribute a on a.attrelid = k.${table} and a.attnum = u.number)`;
}

/** The project's tables and views; `$1` the exposed schemas, `$2` and `$3` a table, or null for all. */
const TABLES = `select n.nspname as schema, c.relname as name, n.nspname = any($1) as exposed,
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as kind, c.relrowsecurity as "rowSecurity",
    (select coalesce(pg_catalog.json_agg(pg_catalog.json_strip_nulls(pg_catalog.json_build_object(
        'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
        'default', case when a.attidentity = 'd' then 'the next number' else pg_catalog.pg_get_expr(d.adbin, d.adrelid) end,
        'made', a.attgenerated <> '' or a.attidentity = 'a', 'text', t.typcategory = 'S',
        'sortable', coalesce(b.typname, t.typname) not in (${UNSORTABLE}),
        'values', case when coalesce(b.typname, t.typname) = 'bool' then '["true","false"]'::json else
          (select pg_catalog.json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e
            where e.enumtypid = a.atttypid) end)) order by a.attnum), '[]')
      from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
        left join pg_catalog.pg_type b on b.oid = t.typbasetype
        left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    coalesce((select pg_catalog.array_agg(a.attname::text order by pg_catalog.array_position(i.indkey, a.attnum))
      from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
      where i.indrelid = c.oid and i.indisprimary), '{}') as key,
    coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('columns', ${columnsOf("conrelid", "conkey")},
        'targets', ${columnsOf("confrelid", "confkey")},
        'table', pg_catalog.json_build_object('schema', m.nspname, 'name', o.relname)) order by k.conkey)
      from pg_catalog.pg_constraint k join pg_catalog.pg_class o on o.oid = k.confrelid
        join pg_catalog.pg_namespace m on m.oid = o.relnamespace
      where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0), '[]') as references
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and (n.nspname ${NOT_PLATFORM} or n.nspname = any($1) or ($2 = 'auth' and $3 = 'users'))
    and ($2::text is null or n.nspname = $2 and c.relname = $3)
  order by not n.nspname = any($1), n.nspname, c.relname`;

const ROLES = `select r.rolname::text as name from pg_catalog.pg_auth_members m join pg_catalog.pg_roles r on r.oid = m.roleid
  where m.member = (select oid from pg_catalog.pg_roles where rolname = 'authenticator')
  order by r.rolname not in ('anon', 'authenticated'), r.rolname`;

export async function readTables(db: pg.ClientBase, exposed: readonly string[]): Promise<Tables> {
  const { rows: tables } = await db.query<DataTable>(TABLES, [exposed, null, null]);
  const { rows: roles } = await db.query<{ name: string }>(ROLES);
  return { tables, roles: roles.map(({ name }) => name) };
}

/** @throws CallRefused where there is none */
export async function readTable(
  db: pg.ClientBase,
  { schema, name }: TableName,
  exposed: readonly string[],
): Promise<DataTable> {
  const { rows } = await db.query<DataTable>(TABLES, [exposed, schema, name]);
  const [table] = rows;
  if (!table) throw new CallRefused(404, `There is no table ${schema}.${name}.`);
  return table;
}

/** The column that names a row for people: the first text, where it is no key. */
export function namingColumn({ columns, key }: DataTable): string | undefined {
  return columns.find(({ name, text }) => text && !key.includes(name))?.name;
}
