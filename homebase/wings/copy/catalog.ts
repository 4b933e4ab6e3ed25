/** Owns what a copy knows of a database's tables: columns with their rules, keys, and the types that values are of. */
import type pg from "pg";
import type { Type, Types } from "./types.ts";

export interface TableColumn {
  name: string;
  /** Its type's oid. */
  type: string;
  /** With its length, for casts. */
  sqlType: string;
  /** Characters that fit in. */
  length: number | null;
  notNull: boolean;
  /** Whether it is part of a unique index. */
  unique: boolean;
  /** Whether a sequence makes its values. */
  generated: boolean;
  /** Its CHECKs that are about no other column, those of its domain by the cast to it. */
  checks: string[];
  /** Whether every value of its text is valid: no check, no domain. */
  free: boolean;
}

export interface Table {
  oid: string;
  schema: string;
  name: string;
  columns: TableColumn[];
  key: string[];
  overriding: boolean;
}

export interface ForeignKey {
  holder: string;
  columns: string[];
  target: string;
  targetColumns: string[];
}

export type Row = (string | null)[];

export interface Catalog {
  tables: Table[];
  keys: ForeignKey[];
  types: Types;
}

export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const { rows } = await client.query<{
    tables: Table[] | null;
    keys: ForeignKey[] | null;
    types: Type[] | null;
  }>(CATALOG);
  const { tables, keys, types } = rows[0] ?? {};
  return {
    tables: tables ?? [],
    keys: keys ?? [],
    types: new Map((types ?? []).map((type) => [type.oid, type])),
  };
}

const CATALOG = `
with wanted as (
  select c.oid, n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname !~ '^(pg_|information_schema$)'
    and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
)
select
  (select json_agg(json_build_object('oid', w.oid::text, 'schema', w.nspname, 'name', w.relname,
      'columns', (select coalesce(json_agg(json_build_object('name', a.attname, 'type', t.oid::text,
          'sqlType', format_type(a.atttypid, a.atttypmod),
          'length', case when coalesce(b.typname, t.typname) in ('varchar', 'bpchar', '_varchar', '_bpchar')
            and greatest(a.atttypmod, t.typtypmod) > 4 then greatest(a.atttypmod, t.typtypmod) - 4 end,
          'notNull', a.attnotnull or t.typnotnull,
          'unique', exists (select 1 from pg_index i where i.indrelid = w.oid and i.indisunique and a.attnum = any (i.indkey)),
          'generated', a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) ~ '^nextval\\(', false),
          'checks', (select coalesce(json_agg(pg_get_expr(k.conbin, k.conrelid)), '[]') from pg_constraint k
            where k.conrelid = w.oid and k.contype = 'c' and k.conkey = array[a.attnum]),
          'free', not exists (select 1 from pg_constraint k where k.conrelid = w.oid and k.contype = 'c' and k.conkey = array[a.attnum])
            and t.typtype not in ('d', 'c') and coalesce(e.typtype not in ('d', 'c'), true) and t.typcategory <> 'N') order by a.attnum), '[]')
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        left join pg_type b on b.oid = t.typbasetype
        left join pg_type e on e.oid = t.typelem
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''),
      'overriding', exists (select 1 from pg_attribute a where a.attrelid = w.oid and a.attidentity = 'a'),
      'key', (select coalesce(json_agg(a.attname), '[]') from pg_constraint k join pg_attribute a
        on a.attrelid = w.oid and a.attnum = any (k.conkey) where k.conrelid = w.oid and k.contype = 'p')) order by w.nspname, w.relname)
    from wanted w) as tables,
  (select json_agg(json_build_object('holder', k.conrelid::text, 'target', k.confrelid::text,
      'columns', (select json_agg(a.attname order by at) from unnest(k.conkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = one.attnum),
      'targetColumns', (select json_agg(a.attname order by at) from unnest(k.confkey) with ordinality as one (attnum, at)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = one.attnum)))
    from pg_constraint k where k.contype = 'f') as keys,
  (select json_agg(json_build_object('oid', t.oid::text, 'kind', t.typtype,
      'name', case when n.nspname = 'pg_catalog' then t.typname else n.nspname || '.' || t.typname end,
      'element', case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem::text end,
      'delimiter', coalesce((select e.typdelim from pg_type e where e.oid = t.typelem), ','),
      'base', coalesce(nullif(t.typbasetype, 0), r.rngsubtype, m.rngtypid)::text,
      'labels', (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]') from pg_enum e where e.enumtypid = t.oid),
      'fields', (select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid::text) order by a.attnum), '[]')
        from pg_attribute a where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)))
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    left join pg_range r on r.rngtypid = t.oid left join pg_range m on m.rngmultitypid = t.oid
    where n.nspname not in ('information_schema', 'pg_toast')) as types`;
