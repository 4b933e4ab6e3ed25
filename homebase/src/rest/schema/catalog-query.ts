/**
 * Owns the one query of the system catalogs, and the type of its result. Run with an empty search_path, so
 * that Postgres prints type names qualified.
 */
import { quoteLiteral } from "../../postgres/quoting.ts";
import { relationUpdatable } from "../../postgres/updatable.ts";

export interface CatalogRelation {
  oid: string;
  schema: string;
  name: string;
  kind: "r" | "p" | "v" | "m" | "f";
  exposed: boolean;
  /** Bits: 8 insert, 4 update, 16 delete. */
  capabilities: number;
  /** name, type, base type, not null, default, attribute number. */
  columns: [string, string, string, boolean, string | null, number][];
}

/**
 * A primary key, unique constraint or foreign key. Not an object, because a schema has thousands, and Postgres writes
 * an array in half of the time.
 */
export type CatalogKey = [
  name: string,
  type: "p" | "u" | "f",
  /** Oid of the relation that has it. */
  relation: string,
  columns: number[],
  /** Oid of the relation that a foreign key refers to. */
  target: string,
  targetColumns: number[] | null,
];

export interface CatalogView {
  oid: string;
  action: string;
}

export interface CatalogRoutine {
  oid: string;
  schema: string;
  name: string;
  argNames: string[] | null;
  argModes: string[] | null;
  argTypes: string[];
  defaults: number;
  returnsSet: boolean;
  returnsOne: boolean;
  volatility: "i" | "s" | "v";
  config: string[] | null;
  returnType: string;
  /** Oid of the relation whose row type is returned, "0" for none. */
  returnRelation: string;
  returnName: string;
  returnSchema: string;
  composite: boolean;
  /** Oid of the relation whose row type is the first parameter's, "0" for none. */
  argRelation: string;
}

/** A cast that reads or writes a domain in the API (domain representations). */
export interface CatalogRepresentation {
  source: string;
  target: string;
  schema: string;
  name: string;
}

/** A domain named like a media type, and the aggregate or function that produces it. */
export interface CatalogHandler {
  kind: "aggregate" | "function";
  schema: string;
  name: string;
  /** The row type that an aggregate takes, or "anyelement". */
  argSchema: string;
  argName: string;
  mediaType: string;
  binary: boolean;
}

export interface CatalogRole {
  name: string;
  config: string[];
}

export interface Catalog {
  relations: CatalogRelation[];
  keys: CatalogKey[];
  views: CatalogView[];
  routines: CatalogRoutine[];
  representations: CatalogRepresentation[];
  handlers: CatalogHandler[];
  roles: CatalogRole[];
  /** Literals of policies, functions and views that may be names of headers. */
  headers: string[];
}

// Postgres 15 and later, as parameter privileges for roles.
const ALLOWED_PARAMETER = "or context = 'superuser' and has_parameter_privilege(current_user, name, 'SET')";
const PARAMETER_PRIVILEGES_SINCE = 150_000;
/** Functions with a body that is stored as a tree. */
const SQL_BODIES =
  "union all select prosqlbody::text from pg_proc where prosqlbody is not null and oid >= 16384";
const SQL_BODIES_SINCE = 140_000;

/**
 * The query for a server of this `server_version_num`.
 * `$1` exposed schemas, `$2` schemas of the extra search path (both text[]). One row, one json column.
 */
export function catalogQuery(serverVersion: number): string {
  const query = serverVersion < SQL_BODIES_SINCE ? CATALOG_QUERY.replace(SQL_BODIES, "") : CATALOG_QUERY;
  return serverVersion < PARAMETER_PRIVILEGES_SINCE ? query.replace(ALLOWED_PARAMETER, "") : query;
}

/** A query of these as it reads for another connecting role than the login's. */
export function connectingAs(query: string, role: string): string {
  return query.replaceAll("current_user", `${quoteLiteral(role)}::name`);
}

/** Settings of the roles that requests may use, as far as they may be set. A subquery. */
const ROLES = `(with settable as materialized (
      select name from pg_settings where context = 'user'
        or context = 'superuser' and has_parameter_privilege(current_user, name, 'SET'))
    select coalesce(json_agg(json_build_object('name', r.rolname, 'config', array(
      select c from unnest(r.rolconfig) c where split_part(c, '=', 1) in (select name from settable)))), '[]')
    from pg_auth_members m join pg_roles r on r.oid = m.roleid
    where m.member = (select oid from pg_roles where rolname = current_user) and r.rolconfig is not null)`;

/** Objects with a smaller oid are Postgres's own. */
const FIRST_OID = 16_384;

/** A constant of type text in a stored expression: its bytes, after the four of its length. */
const CONSTANT = String.raw`:consttype 25 [^}]*?:constvalue \d+ \[ -?\d+ -?\d+ -?\d+ -?\d+ ([^]]+) \]`;

/**
 * Literals of the policies, functions and views that read the request's headers; where there is one, a literal with a
 * hyphen in others counts too, as it may be handed to a function that reads the header of that name. Constants of policies
 * and views are read as they are stored: to write their text Postgres would lock the tables that they name, which ends in a
 * deadlock with a migration. A subquery.
 */
const HEADERS = `(with stored as materialized (
      select coalesce(polqual::text, '') || coalesce(polwithcheck::text, '') as tree from pg_policy
      union all select w.ev_action::text from pg_rewrite w join pg_class c on c.oid = w.ev_class
      where w.ev_class >= ${FIRST_OID} and c.relkind in ('v', 'm') and w.rulename = '_RETURN'
        and (w.ev_action::text like '%:funcid 2077 %' or w.ev_action::text like '%:funcid 3294 %')
      ${SQL_BODIES}),
    texts as materialized (
      select (select string_agg('''' || (select string_agg(chr(byte::integer), '' order by place)
          from regexp_split_to_table(constant[1], ' ') with ordinality as bytes(byte, place)) || '''', ' ')
        from regexp_matches(tree, '${CONSTANT}', 'g') constant
        where constant[1] !~ '-' and ' ' || constant[1] || ' ' not like '% 0 %') as text
      from stored
      union all select p.prosrc
      from pg_proc p join pg_language l on l.oid = p.prolang
      where p.oid >= ${FIRST_OID} and l.lanname not in ('c', 'internal') and p.prokind <> 'a'
        and not exists (select from pg_depend e
          where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e'))
    select coalesce(json_agg(distinct lower(found[1])), '[]')
    from texts, regexp_matches(text, '''([A-Za-z][A-Za-z0-9_-]*)''', 'g') found
    where (text like '%request.header%' or found[1] like '%-%')
      and exists (select from texts where text like '%request.header%'))`;

const CATALOG_QUERY = `
with recursive
base_type(oid, base) as (
  select t.oid, t.oid from pg_type t where t.typtype <> 'd'
  union all
  select d.oid, b.base from pg_type d join base_type b on b.oid = d.typbasetype where d.typtype = 'd'
),
relation as (
  select c.oid, n.nspname, c.relname, c.relkind, c.relispartition, n.nspname = any($1) as exposed
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    and not pg_is_other_temp_schema(n.oid)
),
wanted as (select * from relation where exposed or relkind in ('r', 'p') or nspname = any($2)),
attribute as (
  select a.attrelid, json_agg(json_build_array(
    a.attname, format_type(a.atttypid, a.atttypmod), format_type(b.base, null), a.attnotnull,
    case when a.attgenerated <> '' then null
      -- Not by pg_get_serial_sequence, which wants USAGE on the schema; as a subquery, because few columns need it.
      when a.attidentity = 'd' then (select format('nextval(%L)', s.objid::regclass) from pg_depend s
        where s.refclassid = 'pg_class'::regclass and s.refobjid = a.attrelid and s.refobjsubid = a.attnum
          and s.deptype = 'i' and s.classid = 'pg_class'::regclass)
      when d.adbin is not null then pg_get_expr(d.adbin, d.adrelid)
      else t.typdefault end,
    a.attnum) order by a.attnum) as columns
  from pg_attribute a
  join wanted r on r.oid = a.attrelid
  join pg_type t on t.oid = a.atttypid
  join base_type b on b.oid = t.oid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  group by a.attrelid
)
select json_build_object(
  'relations', (select coalesce(json_agg(json_build_object(
      'oid', r.oid::text, 'schema', r.nspname, 'name', r.relname, 'kind', r.relkind,
      'exposed', r.exposed and not r.relispartition,
      'capabilities', case when r.relkind in ('r', 'p') then 28
        when r.exposed then ${relationUpdatable("r.oid", true)} else 0 end,
      'columns', coalesce(a.columns, '[]'))), '[]')
    from wanted r left join attribute a on a.attrelid = r.oid),
  'keys', (select coalesce(json_agg(json_build_array(
      k.conname, k.contype, k.conrelid::text, k.conkey, k.confrelid::text, k.confkey) order by k.conname), '[]')
    from pg_constraint k join wanted r on r.oid = k.conrelid
    where k.contype in ('p', 'u', 'f') and k.conparentid = 0),
  'views', (select coalesce(json_agg(json_build_object('oid', r.oid::text, 'action', w.ev_action::text)), '[]')
    from relation r join pg_rewrite w on w.ev_class = r.oid and w.rulename = '_RETURN'
    where r.relkind in ('v', 'm') and (r.exposed or r.nspname = any($2))),
  'routines', (select coalesce(json_agg(json_build_object(
      'oid', p.oid::text, 'schema', n.nspname, 'name', p.proname, 'argNames', p.proargnames, 'argModes', p.proargmodes,
      'argTypes', (select coalesce(json_agg(case format_type(t.oid, null)
          when 'bit' then 'bit varying' when 'bit[]' then 'bit varying[]'
          when 'character' then 'character varying' when 'character[]' then 'character varying[]'
          else format_type(t.oid, null) end order by t.ord), '[]')
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality t(oid, ord)),
      'defaults', p.pronargdefaults, 'returnsSet', p.proretset,
      'returnsOne', not p.proretset or p.prorows = 1,
      'volatility', p.provolatile, 'config', p.proconfig,
      'returnType', format_type(t.oid, null), 'returnRelation', t.typrelid::text,
      'returnName', t.typname, 'returnSchema', tn.nspname,
      'composite', t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
      'argRelation', case when p.pronargs = 1
        then (select q.typrelid::text from pg_type q where q.oid = p.proargtypes[0]) else '0' end)
      -- Overloads are named in errors: in the order in which they were made, not in that of the heap.
      order by p.oid), '[]')
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join base_type b on b.oid = p.prorettype
    join pg_type t on t.oid = b.base
    join pg_namespace tn on tn.oid = t.typnamespace
    where n.nspname = any($1) and p.prokind = 'f' and t.typname not in ('trigger', 'event_trigger')),
  'representations', (select coalesce(json_agg(json_build_object(
      'source', format_type(c.castsource, null), 'target', format_type(c.casttarget, null),
      'schema', n.nspname, 'name', p.proname)), '[]')
    from pg_cast c
    join pg_type s on s.oid = c.castsource join pg_type t on t.oid = c.casttarget
    join pg_proc p on p.oid = c.castfunc join pg_namespace n on n.oid = p.pronamespace
    where c.castcontext = 'i' and c.castmethod = 'f'
      and (s.typtype = 'd' and t.typname in ('json', 'text') or t.typtype = 'd' and s.typname in ('json', 'text'))),
  'handlers', (select coalesce(json_agg(json_build_object(
      'kind', case p.prokind when 'a' then 'aggregate' else 'function' end,
      'schema', n.nspname, 'name', p.proname, 'argSchema', an.nspname, 'argName', a.typname,
      'mediaType', d.typname, 'binary', b.base = 'bytea'::regtype)), '[]')
    from pg_type d
    join base_type b on b.oid = d.oid
    join pg_proc p on p.prorettype = d.oid
    join pg_namespace n on n.oid = p.pronamespace
    left join pg_type a on a.oid = p.proargtypes[0] left join pg_namespace an on an.oid = a.typnamespace
    where d.typtype = 'd' and (d.typname ~ '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$' or d.typname = '*/*')
      and n.nspname = any($1)
      and (p.prokind = 'a' and p.pronargs = 1 and (a.typname = 'anyelement' or a.typrelid <> 0)
        or p.prokind = 'f' and not p.proretset)),
  'roles', ${ROLES},
  'headers', ${HEADERS}
)::text`;

/** The query for role settings only, for a server of this `server_version_num`. One json value. */
export function rolesQuery(serverVersion: number): string {
  const query = `select ${ROLES}::text`;
  return serverVersion < PARAMETER_PRIVILEGES_SINCE ? query.replace(ALLOWED_PARAMETER, "") : query;
}

/** The server's version, then settings of the connecting role, those for this database last. */
export const CONFIG_QUERY = `
select current_setting('server_version_num') || ' ' || version(), null::oid
union all
(select unnest(s.setconfig), s.setdatabase from pg_db_role_setting s
where s.setrole = (select oid from pg_roles where rolname = current_user)
  and (s.setdatabase = 0 or s.setdatabase = (select oid from pg_database where datname = current_database())))
order by 2 nulls first`;

/** The settings that `db-pre-config` made in this transaction. `$1` names (text[]). */
export const PRE_CONFIG_QUERY = `
select 'pgrst.' || name || '=' || current_setting('pgrst.' || name, true) from unnest($1::text[]) name
where current_setting('pgrst.' || name, true) <> ''`;
