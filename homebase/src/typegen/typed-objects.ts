/** Owns reading what a type file says of a database: relations, functions, enums and types of some schemas. */
import type pg from "pg";
import { columnUpdatable, relationUpdatable } from "../postgres/updatable.ts";
import { type ViewColumn, viewColumns } from "../rest/schema/view-columns.ts";

export interface ColumnFact {
  name: string;
  attribute: number;
  type: string;
  notNull: boolean;
  hasDefault: boolean;
  /** Takes no value: an identity or generated column. */
  fixed: boolean;
  /** Of a view: whether Postgres passes a value on to the table below. */
  updatable: boolean;
}

/** By Postgres itself, by the view's own INSTEAD OF trigger or rule, or not at all. */
type Write = "automatic" | "by hand" | null;

export interface RelationFact {
  oid: string;
  schema: string;
  name: string;
  /** `r` and `p` are tables, `f` foreign tables, `v` and `m` views. */
  kind: string;
  rowType: string;
  /** How rows are made and changed. */
  insert: Write;
  update: Write;
  columns: ColumnFact[];
}

export interface ForeignKeyFact {
  name: string;
  relation: string;
  columns: number[];
  target: string;
  targetColumns: number[];
  unique: boolean;
}

export interface ArgumentFact {
  name: string;
  mode: "i" | "o" | "b" | "v" | "t";
  type: string;
  optional: boolean;
}

export interface FunctionFact {
  schema: string;
  name: string;
  returns: string;
  set: boolean;
  /** It gives one row at most. */
  single: boolean;
  arguments: ArgumentFact[];
}

export interface TypeFact {
  oid: string;
  schema: string;
  name: string;
  /** `pg_type.typtype`. */
  kind: string;
  element: string;
  base: string;
  labels: string[];
  attributes: { name: string; type: string }[];
}

export interface TypeCatalog {
  schemas: string[];
  relations: RelationFact[];
  keys: ForeignKeyFact[];
  functions: FunctionFact[];
  types: Map<string, TypeFact>;
  views: Map<string, ViewColumn[]>;
}

/** Reads the catalogue. Relations of all schemas are read: views and functions refer to them. */
export async function readTypeCatalog(
  client: pg.ClientBase,
  schemas: readonly string[],
): Promise<TypeCatalog> {
  const { rows: known } = await client.query<{ nspname: string }>(
    "select nspname from pg_namespace where nspname = any ($1)",
    [schemas],
  );
  const { rows } = await client.query<{
    relations: RelationFact[];
    keys: ForeignKeyFact[];
    functions: FunctionFact[];
    types: TypeFact[];
    views: { oid: string; action: string }[];
  }>(CATALOG, [schemas]);
  const [found] = rows;
  if (!found) throw new Error("The catalogue gave no row.");
  return {
    ...found,
    schemas: known.map(({ nspname }) => nspname).sort((left, right) => left.localeCompare(right)),
    types: new Map(found.types.map((type) => [type.oid, type])),
    views: new Map(found.views.map(({ oid, action }) => [oid, viewColumns(action)])),
  };
}

/**
 * @param event of pg_relation_is_updatable
 * @param trigger of pg_trigger.tgtype, beside 64 for INSTEAD OF
 * @param rule of pg_rewrite.ev_type
 */
const write = ({ event, trigger, rule }: { event: number; trigger: number; rule: number }) => `case
  when r.relkind in ('r', 'p') then 'automatic'
  when (${relationUpdatable("r.oid", true)}) & ${event} = 0 then null
  when exists (select 1 from pg_trigger t where t.tgrelid = r.oid and (t.tgtype & ${64 + trigger}) = ${64 + trigger})
    or exists (select 1 from pg_rewrite w where w.ev_class = r.oid and w.ev_type = '${rule}' and w.is_instead)
  then 'by hand' else 'automatic' end`;
const INSERT = write({ event: 8, trigger: 4, rule: 3 });
const UPDATE = write({ event: 4, trigger: 16, rule: 2 });

const CATALOG = `
with relation as (
  select c.*, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'f', 'v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
)
select
  (select coalesce(json_agg(json_build_object('oid', r.oid::text, 'schema', r.nspname, 'name', r.relname,
      'kind', r.relkind, 'rowType', r.reltype::text,
      'insert', ${INSERT}, 'update', ${UPDATE},
      'columns', (select coalesce(json_agg(json_build_object('name', a.attname, 'attribute', a.attnum,
          'type', a.atttypid::text, 'notNull', a.attnotnull or (t.typtype = 'd' and t.typnotnull),
          'hasDefault', a.atthasdef or a.attidentity <> '', 'fixed', a.attidentity = 'a' or a.attgenerated <> '',
          'updatable', ${columnUpdatable("r.oid", "a.attnum")})), '[]')
        from pg_attribute a join pg_type t on t.oid = a.atttypid
        where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped))), '[]') from relation r) as relations,
  (select coalesce(json_agg(json_build_object('name', k.conname, 'relation', k.conrelid::text, 'columns', k.conkey,
      'target', k.confrelid::text, 'targetColumns', k.confkey,
      'unique', exists (select 1 from pg_constraint u where u.conrelid = k.conrelid and u.contype in ('p', 'u')
        and u.conkey <@ k.conkey and u.conkey @> k.conkey))), '[]')
    from pg_constraint k where k.contype = 'f' and k.conparentid = 0) as keys,
  (select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', p.proname, 'returns', p.prorettype::text,
      'set', p.proretset, 'single', not p.proretset or p.prorows = 1,
      'arguments', (select coalesce(json_agg(json_build_object('name', coalesce(p.proargnames[at], ''),
          'mode', coalesce(p.proargmodes[at], 'i'), 'type', type::text,
          'optional', at > p.pronargs - p.pronargdefaults and coalesce(p.proargmodes[at], 'i') in ('i', 'b', 'v'))
          order by at), '[]')
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as one (type, at)))
      order by p.proname, p.oid), '[]')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
    where n.nspname = any ($1) and p.prokind = 'f' and t.typname not in ('trigger', 'event_trigger')) as functions,
  (select json_agg(json_build_object('oid', t.oid::text, 'schema', n.nspname, 'name', t.typname, 'kind', t.typtype,
      'element', case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem::text else '' end,
      'base', t.typbasetype::text,
      'labels', (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]') from pg_enum e where e.enumtypid = t.oid),
      'attributes', (select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid::text) order by a.attnum), '[]')
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.oid = t.typrelid and c.relkind = 'c' and a.attnum > 0 and not a.attisdropped)))
    from pg_type t join pg_namespace n on n.oid = t.typnamespace) as types,
  (select coalesce(json_agg(json_build_object('oid', r.oid::text, 'action', w.ev_action::text)), '[]')
    from relation r join pg_rewrite w on w.ev_class = r.oid and w.rulename = '_RETURN' where r.relkind in ('v', 'm')) as views`;
