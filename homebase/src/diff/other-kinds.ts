/**
 * Owns the kinds of objects that pg-delta does not compare and that projects have: dictionaries and configurations of text
 * search, extended statistics, casts, operators and conversions. Their statements are made of the catalogue's names and Postgres's own
 * definitions. Operator classes, languages and transforms, which take a superuser, are left out.
 */
import type pg from "pg";
import { quote, quoteLiteral } from "../postgres/quoting.ts";
import { splitStatements } from "../postgres/statements/split.ts";

/** pg-delta's names of these kinds. */
export const OTHER_KINDS = /"(?:text search (?:dictionary|configuration)|statistics object|cast|operator)"/;

/** An object, with what it takes to have it. */
export interface OtherObject {
  /** As statements name it, with its kind: `CAST (a AS b)`. */
  name: string;
  /** Its schema; for a cast, those of its types. */
  schemas: string[];
  /** Whether tables may need it: then it comes before them, with its schema and the extension that it is made of. */
  isEarly: boolean;
  /** An extension, as a statement makes it. */
  extension: string | null;
  create: string;
  /** In place of `create` where it exists with other content, if it can be changed. */
  change: string | null;
  comment: string | null;
  /** The function that it is made of: its name as pg-delta writes it, how its definition begins, and its signature. */
  uses: { quoted: string; head: string; signature: string } | null;
}

const OWN = (catalogue: string, row: string, owner?: string) =>
  `${row}.oid >= 16384 and not exists (select from pg_depend dep where dep.classid = '${catalogue}'::regclass and dep.objid = ${row}.oid and dep.deptype = 'e')
  ${owner ? `and pg_get_userbyid(${row}.${owner}) !~ '^supabase_'` : ""}`;
/** The extension that an object of this catalogue is part of. */
const EXTENSION = (catalogue: string, oid: string) =>
  `(select format('CREATE EXTENSION IF NOT EXISTS %I WITH SCHEMA %I;', e.extname, en.nspname)
    from pg_depend dep join pg_extension e on e.oid = dep.refobjid join pg_namespace en on en.oid = e.extnamespace
    where dep.classid = '${catalogue}'::regclass and dep.objid = ${oid} and dep.deptype = 'e')`;
const SIGNATURE = "format('%s %s', f.oid::regprocedure, f.prorettype::regtype)";
const FUNCTION = (oid: string) =>
  `(select json_build_object('head', split_part(pg_get_functiondef(f.oid), E'\\n', 1), 'signature', ${SIGNATURE},
      'quoted', format('"%s"."%s"', replace(fn.nspname, '"', '""'), replace(f.proname, '"', '""')))
    from pg_proc f join pg_namespace fn on fn.oid = f.pronamespace where f.oid = ${oid} and f.oid >= 16384)`;
const NAME = (schema: string, name: string) => `format('%I.%I', ${schema}, ${name})`;

const OBJECTS = `
select 1 as place, format('TEXT SEARCH DICTIONARY %s', ${NAME("n.nspname", "d.dictname")}) as name, array[n.nspname::text] as schemas,
  true as "isEarly", ${EXTENSION("pg_ts_template", "t.oid")} as extension,
  format('CREATE TEXT SEARCH DICTIONARY %I.%I (TEMPLATE = %I.%I%s);', n.nspname, d.dictname, tn.nspname, t.tmplname, ', ' || d.dictinitoption) as create,
  format('ALTER TEXT SEARCH DICTIONARY %I.%I (%s);', n.nspname, d.dictname, d.dictinitoption) as change,
  obj_description(d.oid, 'pg_ts_dict') as comment, null::json as uses
from pg_ts_dict d join pg_namespace n on n.oid = d.dictnamespace join pg_ts_template t on t.oid = d.dicttemplate
  join pg_namespace tn on tn.oid = t.tmplnamespace
where ${OWN("pg_ts_dict", "d", "dictowner")}
union all
select 2, format('TEXT SEARCH CONFIGURATION %s', ${NAME("n.nspname", "c.cfgname")}), array[n.nspname::text], true,
  (select min(${EXTENSION("pg_ts_dict", "m.mapdict")}) from pg_ts_config_map m where m.mapcfg = c.oid),
  format('CREATE TEXT SEARCH CONFIGURATION %I.%I (PARSER = %I.%I);', n.nspname, c.cfgname, pn.nspname, p.prsname) || mapping.added,
  mapping.dropped || mapping.added, obj_description(c.oid, 'pg_ts_config'), null
from pg_ts_config c join pg_namespace n on n.oid = c.cfgnamespace join pg_ts_parser p on p.oid = c.cfgparser
  join pg_namespace pn on pn.oid = p.prsnamespace
  cross join lateral (
    select format(E'ALTER TEXT SEARCH CONFIGURATION %I.%I DROP MAPPING IF EXISTS FOR %s;', n.nspname, c.cfgname,
        (select string_agg(alias, ', ' order by tokid) from ts_token_type(c.cfgparser))) as dropped,
      coalesce((select string_agg(format(E'\\nALTER TEXT SEARCH CONFIGURATION %I.%I ADD MAPPING FOR %s WITH %s;', n.nspname, c.cfgname, alike.aliases, alike.dicts), '' order by alike.first)
        from (select string_agg(alias, ', ' order by tokid) as aliases, min(tokid) as first, dicts
          from (select t.tokid, t.alias, string_agg(format('%I.%I', dn.nspname, d.dictname), ', ' order by m.mapseqno) as dicts
            from pg_ts_config_map m join ts_token_type(c.cfgparser) t on t.tokid = m.maptokentype
              join pg_ts_dict d on d.oid = m.mapdict join pg_namespace dn on dn.oid = d.dictnamespace
            where m.mapcfg = c.oid group by t.tokid, t.alias) one
          group by dicts) alike), '') as added) mapping
where ${OWN("pg_ts_config", "c", "cfgowner")}
union all
select 3, format('STATISTICS %s', ${NAME("n.nspname", "s.stxname")}), array[n.nspname::text], false, null,
  pg_get_statisticsobjdef(s.oid) || ';' || case when s.stxstattarget >= 0 then format(E'\\nALTER STATISTICS %I.%I SET STATISTICS %s;', n.nspname, s.stxname, s.stxstattarget) else '' end,
  null, obj_description(s.oid, 'pg_statistic_ext'), null
from pg_statistic_ext s join pg_namespace n on n.oid = s.stxnamespace where ${OWN("pg_statistic_ext", "s", "stxowner")}
union all
select 4, format('CAST (%s AS %s)', format_type(c.castsource, null), format_type(c.casttarget, null)),
  array(select n.nspname::text from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid in (c.castsource, c.casttarget)), false, null,
  format('CREATE CAST (%s AS %s) %s%s;', format_type(c.castsource, null), format_type(c.casttarget, null),
    case c.castmethod when 'f' then 'WITH FUNCTION ' || c.castfunc::regprocedure when 'i' then 'WITH INOUT' else 'WITHOUT FUNCTION' end,
    case c.castcontext when 'a' then ' AS ASSIGNMENT' when 'i' then ' AS IMPLICIT' else '' end),
  null, obj_description(c.oid, 'pg_cast'), ${FUNCTION("c.castfunc")}
from pg_cast c where ${OWN("pg_cast", "c")}
union all
select 5, format('OPERATOR %I.%s (%s, %s)', n.nspname, o.oprname, coalesce(format_type(nullif(o.oprleft, 0), null), 'NONE'), format_type(o.oprright, null)),
  array[n.nspname::text], false, null,
  format('CREATE OPERATOR %I.%s (FUNCTION = %s%s, RIGHTARG = %s%s%s%s%s%s%s);', n.nspname, o.oprname, o.oprcode::regproc,
    ', LEFTARG = ' || format_type(nullif(o.oprleft, 0), null), format_type(o.oprright, null),
    ', COMMUTATOR = ' || (select format('OPERATOR(%I.%s)', x.nspname, p.oprname) from pg_operator p join pg_namespace x on x.oid = p.oprnamespace where p.oid = o.oprcom),
    ', NEGATOR = ' || (select format('OPERATOR(%I.%s)', x.nspname, p.oprname) from pg_operator p join pg_namespace x on x.oid = p.oprnamespace where p.oid = o.oprnegate),
    ', RESTRICT = ' || nullif(o.oprrest, 0)::regproc, ', JOIN = ' || nullif(o.oprjoin, 0)::regproc,
    case when o.oprcanhash then ', HASHES' else '' end, case when o.oprcanmerge then ', MERGES' else '' end),
  null, obj_description(o.oid, 'pg_operator'), ${FUNCTION("o.oprcode")}
from pg_operator o join pg_namespace n on n.oid = o.oprnamespace where o.oprcode <> 0 and ${OWN("pg_operator", "o", "oprowner")}
union all
select 6, format('CONVERSION %s', ${NAME("n.nspname", "c.conname")}), array[n.nspname::text], false, null,
  format('CREATE %sCONVERSION %I.%I FOR %L TO %L FROM %s;', case when c.condefault then 'DEFAULT ' else '' end, n.nspname, c.conname,
    pg_encoding_to_char(c.conforencoding), pg_encoding_to_char(c.contoencoding), c.conproc::regproc),
  null, obj_description(c.oid, 'pg_conversion'), ${FUNCTION("c.conproc")}
from pg_conversion c join pg_namespace n on n.oid = c.connamespace where ${OWN("pg_conversion", "c", "conowner")}
order by place, name`;

/** What a database has of these kinds, in the order in which it can be made, by name. */
export async function readOtherObjects(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<Map<string, OtherObject>> {
  await client.query("begin read only; set local search_path = pg_catalog, pg_temp");
  try {
    const { rows } = await client.query<OtherObject>(OBJECTS);
    const chosen = rows.filter((one) => !schemas || one.schemas.some((name) => schemas.includes(name)));
    return new Map(chosen.map((one) => [one.name, one]));
  } finally {
    await client.query("rollback");
  }
}

/** The signatures of a database's own functions. */
export async function readSignatures(client: pg.ClientBase): Promise<Set<string>> {
  await client.query("begin read only; set local search_path = pg_catalog, pg_temp");
  try {
    const { rows } = await client.query<{ signature: string }>(
      `select ${SIGNATURE} as signature from pg_proc f where f.oid >= 16384`,
    );
    return new Set(rows.map(({ signature }) => signature));
  } finally {
    await client.query("rollback");
  }
}

type Objects = ReadonlyMap<string, OtherObject>;

/** Names of a database. */
interface Existing {
  schemaNames: ReadonlySet<string>;
  /** Signatures of functions. An operator of one of them can come before the views and policies that need it. */
  signatures: ReadonlySet<string>;
}

/** The statements that make `wanted` of `made`, before the tables and after them. */
export function changedObjects(made: Objects, wanted: Objects, existing: Existing) {
  const early: string[] = [];
  const late: string[] = [];
  const schemas = new Set(existing.schemaNames);
  for (const one of wanted.values()) {
    const before = made.get(one.name);
    const isEarly = one.isEarly || (!before && one.uses && existing.signatures.has(one.uses.signature));
    const statements = isEarly ? early : late;
    if (before?.create !== one.create) {
      if (!before && isEarly) {
        for (const name of one.schemas.filter((name) => !schemas.has(name))) {
          schemas.add(name);
          early.push(`CREATE SCHEMA ${quote(name)};`);
        }
        if (one.extension && !early.includes(one.extension)) early.push(one.extension);
      }
      if (before && one.change) statements.push(...removedOptions(before, one), one.change);
      else statements.push(...(before ? [`DROP ${one.name};`] : []), one.create);
    }
    if (
      (before?.comment ?? null) !== one.comment ||
      (one.comment && before?.create !== one.create && !one.change)
    )
      statements.push(
        `COMMENT ON ${one.name} IS ${one.comment === null ? "NULL" : quoteLiteral(one.comment)};`,
      );
  }
  const dropped = [...made.keys()].filter((name) => !wanted.has(name)).reverse();
  late.push(...dropped.map((name) => `DROP ${name};`));
  return { early, late };
}

/**
 * The statements, in which an object that goes, or changes, goes before the function that it is made of, and one that comes
 * does so right after it: views, indexes and policies may need it.
 */
export function besideFunctions(sql: string, made: Objects, wanted: Objects): string {
  const differs = (here: Objects, there: Objects) =>
    [...here.values()].filter(({ name, create, uses }) => uses && there.get(name)?.create !== create);
  const [gone, come] = [differs(made, wanted), differs(wanted, made)];
  if (gone.length === 0 && come.length === 0) return sql;
  const dropped = new Set<string>();
  const done = splitStatements(sql).flatMap(({ text }) => {
    const before = gone.filter(
      ({ name, uses }) => !dropped.has(name) && text.startsWith(`DROP FUNCTION ${uses?.quoted}(`),
    );
    for (const { name } of before) dropped.add(name);
    const after = come.filter(
      ({ name, uses }) => uses && (!made.has(name) || dropped.has(name)) && text.startsWith(uses.head),
    );
    return [...before.map(({ name }) => `DROP ${name};`), `${text};`, ...after.map(({ create }) => create)];
  });
  return done.join("\n\n");
}

const OPTION = /(\w+) = (?:'(?:[^']|'')*'|\S+)/g;

/** Options of a dictionary that it has no more: without a value, ALTER takes them away. */
function removedOptions(before: OtherObject, now: OtherObject): string[] {
  if (!now.name.startsWith("TEXT SEARCH DICTIONARY")) return [];
  const options = ({ change }: OtherObject) =>
    [...(change ?? "").matchAll(OPTION)].map(([, name = ""]) => name);
  const gone = options(before).filter((name) => !options(now).includes(name));
  return gone.length > 0 ? [`ALTER ${now.name} (${gone.join(", ")});`] : [];
}
