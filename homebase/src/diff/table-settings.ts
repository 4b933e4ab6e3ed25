/**
 * Owns settings of tables that pg-delta does not read: statistics, options, storage and compression of columns, defaults of
 * inherited columns that differ from their table's, and CLUSTER ON.
 */
import type pg from "pg";
import { quote, quoteName } from "../postgres/quoting.ts";

const STORAGE: Record<string, string> = { p: "PLAIN", e: "EXTERNAL", x: "EXTENDED", m: "MAIN" };
const OPTION = /^\w+=[-\w.]+$/;
const COMPRESSION: Record<string, string> = { p: "pglz", l: "lz4" };

/** The platform's tables belong to its roles and are not the project's to change; an extension's come with it. */
const OWN = `n.nspname !~ '^(pg_|information_schema$)'
  and pg_catalog.pg_get_userbyid(c.relowner) !~ '^supabase_'
  and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

const DEFAULT_OF = (relation: string, number: string) =>
  `coalesce((select pg_catalog.pg_get_expr(x.adbin, x.adrelid) from pg_catalog.pg_attrdef x where x.adrelid = ${relation} and x.adnum = ${number}), '')`;
const OWN_DEFAULT = `(select nullif(${DEFAULT_OF("a.attrelid", "a.attnum")}, ${DEFAULT_OF("pa.attrelid", "pa.attnum")})
  from pg_catalog.pg_inherits h join pg_catalog.pg_attribute pa on pa.attrelid = h.inhparent and pa.attname = a.attname
  where h.inhrelid = a.attrelid and a.attinhcount > 0 and a.attgenerated = '' and a.attidentity = '' order by h.inhseqno limit 1)`;

interface Row {
  schema: string;
  name: string;
  index: string | null;
  column: string | null;
  statistics: number | null;
  storage: string | null;
  compression: string;
  /** `name=number`, as Postgres checks it. */
  options: string[] | null;
  /** Of an inherited column, where it is another than its parent's; empty for none. */
  ownDefault: string | null;
}

/**
 * The statements that make a database's settings, where they are not the default.
 */
export async function readTableSettings(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await client.query<Row>(
    `select n.nspname as schema, c.relname as name, null as index, a.attname as column,
       nullif(a.attstattarget, -1) as statistics, nullif(a.attstorage, t.typstorage) as storage, a.attcompression as compression,
       a.attoptions as options, ${OWN_DEFAULT} as "ownDefault"
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_catalog.pg_type t on t.oid = a.atttypid
     where c.relkind in ('r', 'p', 'm') and c.relpersistence <> 't' and ${OWN}
       and (nullif(a.attstattarget, -1) is not null or a.attstorage <> t.typstorage or a.attcompression <> ''
         or a.attoptions is not null or ${OWN_DEFAULT} is not null)
     union all
     select n.nspname, c.relname, i.relname, null, null, null, '', null, null
     from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid
     join pg_catalog.pg_class c on c.oid = x.indrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where x.indisclustered and ${OWN}
     order by 1, 2, 3, 4`,
  );
  const settings = new Map<string, string[]>();
  for (const { schema, name, index, column, statistics, storage, compression, options, ownDefault } of rows) {
    if (schemas && !schemas.includes(schema)) continue;
    const table = quoteName({ schema, name });
    const change = (text: string) => `ALTER TABLE ONLY ${table} ALTER COLUMN ${quote(column ?? "")} ${text};`;
    const lines = [
      ...(index === null ? [] : [`ALTER TABLE ${table} CLUSTER ON ${quote(index)};`]),
      ...(statistics === null ? [] : [change(`SET STATISTICS ${Number(statistics)}`)]),
      ...(storage !== null && STORAGE[storage] ? [change(`SET STORAGE ${STORAGE[storage]}`)] : []),
      ...(COMPRESSION[compression] ? [change(`SET COMPRESSION ${COMPRESSION[compression]}`)] : []),
      ...(options ?? []).filter((one) => OPTION.test(one)).map((one) => change(`SET (${one})`)),
      ...(ownDefault ? [change(`SET DEFAULT ${ownDefault}`)] : []),
      ...(ownDefault === "" ? [change("DROP DEFAULT")] : []),
    ];
    settings.set(table, [...(settings.get(table) ?? []), ...lines]);
  }
  return settings;
}

/** The statements of `wanted` that `made` lacks, for tables that `made` has. */
export function missingSettings(
  made: ReadonlyMap<string, readonly string[]>,
  wanted: ReadonlyMap<string, readonly string[]>,
  tables: { has(name: string): boolean },
): string[] {
  return [...wanted]
    .filter(([table]) => tables.has(table))
    .flatMap(([table, lines]) => lines.filter((line) => !made.get(table)?.includes(line)));
}
