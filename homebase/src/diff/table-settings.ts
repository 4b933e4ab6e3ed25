/**
 * Owns settings of relations that pg-delta does not read: statistics, options, storage and compression of columns, defaults
 * and NOT NULL of inherited columns that differ from their table's, defaults of a view's columns, options of a foreign table's columns
 * and of a table's overflow table, comments on the columns of views, types and partitions, triggers of a partition that
 * are not as enabled as its table's, sequences without a log, the composite type that a table is of, and CLUSTER ON.
 */
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../postgres/quoting.ts";

const STORAGE: Record<string, string> = { p: "PLAIN", e: "EXTERNAL", x: "EXTENDED", m: "MAIN" };
const OPTION = /^(\w+)=[-\w.]+$/;
const COMPRESSION: Record<string, string> = { p: "pglz", l: "lz4" };
const ENABLED: Record<string, string> = {
  O: "ENABLE",
  D: "DISABLE",
  R: "ENABLE REPLICA",
  A: "ENABLE ALWAYS",
};

/** The platform's tables belong to its roles and are not the project's to change; an extension's come with it. */
const OWN = `n.nspname !~ '^(pg_|information_schema$)' and c.relpersistence <> 't'
  and pg_catalog.pg_get_userbyid(c.relowner) !~ '^supabase_'
  and not exists (select 1 from pg_catalog.pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

const DEFAULT_OF = (relation: string, number: string) =>
  `coalesce((select pg_catalog.pg_get_expr(x.adbin, x.adrelid) from pg_catalog.pg_attrdef x where x.adrelid = ${relation} and x.adnum = ${number}), '')`;
const OWN_DEFAULT = `(select nullif(${DEFAULT_OF("a.attrelid", "a.attnum")}, ${DEFAULT_OF("pa.attrelid", "pa.attnum")})
  from pg_catalog.pg_inherits h join pg_catalog.pg_attribute pa on pa.attrelid = h.inhparent and pa.attname = a.attname
  where h.inhrelid = a.attrelid and a.attinhcount > 0 and a.attgenerated = '' and a.attidentity = '' order by h.inhseqno limit 1)`;
const OWN_NOT_NULL = `(c.relkind = 'r' and not c.relispartition and a.attnotnull and a.attinhcount > 0
  and not exists (select 1 from pg_catalog.pg_inherits h join pg_catalog.pg_attribute pa on pa.attrelid = h.inhparent
    where h.inhrelid = a.attrelid and pa.attname = a.attname and pa.attnotnull)
  and not exists (select 1 from pg_catalog.pg_index x where x.indrelid = c.oid and x.indisprimary and a.attnum = any (x.indkey)))`;
const VIEW_DEFAULT = `case when c.relkind = 'v' then nullif(${DEFAULT_OF("a.attrelid", "a.attnum")}, '') end`;
/** pg-delta reads the comments on the columns of other tables. */
const COMMENT = `case when c.relkind in ('v', 'm', 'c') or c.relispartition then pg_catalog.col_description(c.oid, a.attnum) end`;

interface ColumnRow {
  schema: string;
  name: string;
  kind: string;
  column: string;
  number: number;
  statistics: number | null;
  storage: string | null;
  usualStorage: string;
  compression: string;
  /** `name=number`, as Postgres checks it. */
  options: string[] | null;
  /** Of a foreign table, by their names. */
  foreignOptions: { option_name: string; option_value: string }[];
  /** Of an inherited column, where it is another than its parent's; empty for none. */
  ownDefault: string | null;
  /** Whether an inherited column takes no null, and its parents' do. */
  isOwnNotNull: boolean;
  viewDefault: string | null;
  comment: string | null;
}

interface RelationRow {
  schema: string;
  name: string;
  /** The index by which the table is clustered. */
  index: string | null;
  /** `name=value` of the table that takes what is too long for its rows. */
  overflow: string[] | null;
  isUnlogged: boolean;
  /** The composite type that the table is of, as statements name it. */
  type: string | null;
  triggers: { name: string; enabled: string }[];
}

/** The statements that make a setting and take it away. */
interface Setting {
  set: string;
  /** In place of `set` where another value is there. */
  change?: string;
  /** Null where the relation's next state says it anyhow. */
  reset: string | null;
}

const TYPED = "of";

/** @param columns of tables, by their quoted names. */
interface Shaped {
  settings: TableSettings;
  columns: ReadonlyMap<string, readonly string[]>;
}

/** The settings that are not the default by their names, for each relation of a database. */
export type TableSettings = ReadonlyMap<string, ReadonlyMap<string, Setting>>;

export async function readTableSettings(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<TableSettings> {
  const settings = new Map<string, Map<string, Setting>>();
  const add = (schema: string, name: string, found: Record<string, Setting>) => {
    const relation = quoteName({ schema, name });
    settings.set(relation, new Map([...(settings.get(relation) ?? []), ...Object.entries(found)]));
  };
  const chosen = ({ schema }: { schema: string }) => !schemas || schemas.includes(schema);
  const { rows: relations } = await client.query<RelationRow>(
    `select n.nspname as schema, c.relname as name,
       (select i.relname from pg_catalog.pg_index x join pg_catalog.pg_class i on i.oid = x.indexrelid
         where x.indrelid = c.oid and x.indisclustered) as index,
       (select o.reloptions from pg_catalog.pg_class o where o.oid = c.reltoastrelid) as overflow,
       c.relkind = 'S' and c.relpersistence = 'u' and not exists (select 1 from pg_catalog.pg_depend d
         where d.objid = c.oid and d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype in ('a', 'i')) as "isUnlogged",
       (select pg_catalog.format('%I.%I', tn.nspname, t.typname) from pg_catalog.pg_type t
         join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace where t.oid = nullif(c.reloftype, 0)) as type,
       (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', t.tgname, 'enabled', t.tgenabled)), '[]')
         from pg_catalog.pg_trigger t join pg_catalog.pg_trigger p on p.oid = t.tgparentid
         where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> p.tgenabled) as triggers
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'm', 'v', 'f', 'c', 'S', 'i', 'I') and ${OWN} order by 1, 2`,
  );
  for (const one of relations.filter(chosen)) add(one.schema, one.name, ofRelation(one));
  const { rows: columns } = await client.query<ColumnRow>(
    `select * from (
       select n.nspname as schema, c.relname as name, c.relkind as kind, a.attname as column, a.attnum as number,
         case when stored or c.relkind in ('i', 'I') then nullif(a.attstattarget, -1) end as statistics,
         case when stored then nullif(a.attstorage, t.typstorage) end as storage, t.typstorage as "usualStorage",
         case when stored then a.attcompression else '' end as compression, case when stored then a.attoptions end as options,
         (select coalesce(pg_catalog.json_agg(o), '[]') from pg_catalog.pg_options_to_table(a.attfdwoptions) o) as "foreignOptions",
         case when stored then ${OWN_DEFAULT} end as "ownDefault", ${OWN_NOT_NULL} as "isOwnNotNull", ${VIEW_DEFAULT} as "viewDefault", ${COMMENT} as comment,
         a.attfdwoptions is not null as "isForeign"
       from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       join pg_catalog.pg_type t on t.oid = a.atttypid
       cross join lateral (select c.relkind in ('r', 'p', 'm') as stored) kinds
       where c.relkind in ('r', 'p', 'm', 'v', 'f', 'c', 'i', 'I') and ${OWN}) found
     where statistics is not null or storage is not null or compression <> '' or options is not null or "isForeign"
       or "ownDefault" is not null or "isOwnNotNull" or "viewDefault" is not null or comment is not null
     order by 1, 2, 4`,
  );
  for (const one of columns.filter(chosen)) add(one.schema, one.name, ofColumn(one));
  return settings;
}

function ofRelation({ schema, name, index, overflow, isUnlogged, type, triggers }: RelationRow) {
  const relation = quoteName({ schema, name });
  const found: Record<string, Setting> = {};
  if (type !== null)
    found[TYPED] = { set: `ALTER TABLE ${relation} OF ${type};`, reset: `ALTER TABLE ${relation} NOT OF;` };
  if (index !== null)
    found.cluster = {
      set: `ALTER TABLE ${relation} CLUSTER ON ${quote(index)};`,
      reset: `ALTER TABLE ${relation} SET WITHOUT CLUSTER;`,
    };
  for (const option of overflow ?? []) {
    const [, key] = OPTION.exec(option) ?? [];
    if (key !== undefined)
      found[`toast.${key}`] = {
        set: `ALTER TABLE ${relation} SET (toast.${option});`,
        reset: `ALTER TABLE ${relation} RESET (toast.${key});`,
      };
  }
  if (isUnlogged)
    found.unlogged = {
      set: `ALTER SEQUENCE ${relation} SET UNLOGGED;`,
      reset: `ALTER SEQUENCE ${relation} SET LOGGED;`,
    };
  for (const { name: trigger, enabled } of triggers)
    found[`trigger ${trigger}`] = {
      set: `ALTER TABLE ${relation} ${ENABLED[enabled] ?? "ENABLE"} TRIGGER ${quote(trigger)};`,
      reset: null,
    };
  return found;
}

function ofColumn(row: ColumnRow): Record<string, Setting> {
  const relation = quoteName(row);
  const { column, statistics, storage, compression, options, ownDefault, viewDefault, comment } = row;
  const change = (text: string) => `ALTER TABLE ONLY ${relation} ALTER COLUMN ${quote(column)} ${text};`;
  const found: Record<string, Setting> = {};
  const setting = (name: string, set: string, reset: string | null) => {
    found[`${column} ${name}`] = { set: change(set), reset: reset === null ? null : change(reset) };
  };
  if (statistics !== null && /i/i.test(row.kind)) {
    const target = (value: number) =>
      `ALTER INDEX ${relation} ALTER COLUMN ${Number(row.number)} SET STATISTICS ${Number(value)};`;
    found[`${row.number} statistics`] = { set: target(statistics), reset: target(-1) };
  } else if (statistics !== null)
    setting("statistics", `SET STATISTICS ${Number(statistics)}`, "SET STATISTICS -1");
  if (storage !== null && STORAGE[storage])
    setting("storage", `SET STORAGE ${STORAGE[storage]}`, `SET STORAGE ${STORAGE[row.usualStorage]}`);
  if (COMPRESSION[compression])
    setting("compression", `SET COMPRESSION ${COMPRESSION[compression]}`, "SET COMPRESSION default");
  for (const option of options ?? []) {
    const [, key] = OPTION.exec(option) ?? [];
    if (key !== undefined) setting(`option ${key}`, `SET (${option})`, `RESET (${key})`);
  }
  if (ownDefault !== null)
    setting("default", ownDefault === "" ? "DROP DEFAULT" : `SET DEFAULT ${ownDefault}`, null);
  if (row.isOwnNotNull) setting("not null", "SET NOT NULL", "DROP NOT NULL");
  if (viewDefault !== null) setting("default", `SET DEFAULT ${viewDefault}`, "DROP DEFAULT");
  for (const { option_name: key, option_value: value } of row.foreignOptions) {
    const foreign = (text: string) =>
      `ALTER FOREIGN TABLE ONLY ${relation} ALTER COLUMN ${quote(column)} OPTIONS (${text});`;
    const option = `${quote(key)} ${quoteLiteral(value)}`;
    found[`${column} foreign ${key}`] = {
      set: foreign(`ADD ${option}`),
      change: foreign(`SET ${option}`),
      reset: foreign(`DROP ${quote(key)}`),
    };
  }
  if (comment !== null) {
    const on = `COMMENT ON COLUMN ${relation}.${quote(column)} IS`;
    found[`${column} comment`] = { set: `${on} ${quoteLiteral(comment)};`, reset: `${on} NULL;` };
  }
  return found;
}

/**
 * The statements that come before all others: a table of a composite type is none while it or its columns change. What it
 * is to be after them is a setting.
 */
export function untyped(made: Shaped, wanted: Shaped): string[] {
  const shape = (one: Shaped, relation: string) =>
    [one.settings.get(relation)?.get(TYPED)?.set, one.columns.get(relation)].join();
  return [...made.settings].flatMap(([relation, settings]) =>
    settings.has(TYPED) && shape(made, relation) !== shape(wanted, relation)
      ? (settings.get(TYPED)?.reset ?? [])
      : [],
  );
}

/** The statements that make the settings of `wanted` of those of `made`, for relations that both have. */
export function changedSettings(made: TableSettings, wanted: TableSettings): string[] {
  return [...wanted].flatMap(([relation, settings]) => {
    const before = made.get(relation);
    if (!before) return [];
    const gone = [...before].filter(([name]) => !settings.has(name));
    return [
      ...gone.flatMap(([, { reset }]) => reset ?? []),
      ...[...settings]
        .filter(([name, { set }]) => before.get(name)?.set !== set)
        .map(([name, { set, change }]) => (before.has(name) ? (change ?? set) : set)),
    ];
  });
}
