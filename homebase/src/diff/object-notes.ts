/**
 * Owns what statements say of objects that are there anyhow, and pg-delta does not read: own comments on extensions and on
 * the database, DEPENDS ON EXTENSION, and what Realtime's publication is for. A choice of schemas leaves them out: they are about more than one.
 */
import type pg from "pg";

interface ObjectNote {
  set: string;
  /** Takes it away again. */
  reset: string;
}

/** By the object and what is said of it. */
export type ObjectNotes = ReadonlyMap<string, ObjectNote>;

/** A database that nobody has commented on has the first of these, or none. */
const USUAL_COMMENTS = "('default administrative connection database')";

const NOTES = `
select format('extension %I', e.extname) as key, format('COMMENT ON EXTENSION %I IS %L;', e.extname, own.comment) as set,
  format('COMMENT ON EXTENSION %I IS %L;', e.extname, usual.comment) as reset
from pg_extension e left join pg_available_extensions usual on usual.name = e.extname
  cross join lateral (select obj_description(e.oid, 'pg_extension') as comment) own
where own.comment is distinct from usual.comment and pg_get_userbyid(e.extowner) !~ '^supabase_'
union all
select 'database', format('COMMENT ON DATABASE postgres IS %L;', own.comment), 'COMMENT ON DATABASE postgres IS NULL;'
from pg_database d cross join lateral (select shobj_description(d.oid, 'pg_database') as comment) own
where d.datname = current_database() and own.comment not in ${USUAL_COMMENTS}
union all
select format('%s %s %I', o.type, o.identity, e.extname), format('ALTER %s %s DEPENDS ON EXTENSION %I;', upper(o.type), o.identity, e.extname),
  format('ALTER %s %s NO DEPENDS ON EXTENSION %I;', upper(o.type), o.identity, e.extname)
from pg_depend d join pg_extension e on e.oid = d.refobjid cross join lateral pg_identify_object(d.classid, d.objid, d.objsubid) o
where d.refclassid = 'pg_extension'::regclass and d.deptype = 'x'
union all
select 'publication', format(remade.text, remade.for_all, options.given), format(remade.text, '', options.usual)
from pg_publication p cross join lateral (select format('publish = %L, publish_via_partition_root = %s', concat_ws(', ',
    case when pubinsert then 'insert' end, case when pubupdate then 'update' end,
    case when pubdelete then 'delete' end, case when pubtruncate then 'truncate' end), p.pubviaroot::text) as given,
  'publish = ''insert, update, delete, truncate'', publish_via_partition_root = false' as usual) options
  cross join lateral (select case when p.puballtables then ' FOR ALL TABLES' end as for_all, case when p.puballtables
    then E'DO $publication$ BEGIN\\nDROP PUBLICATION supabase_realtime;\\nCREATE PUBLICATION supabase_realtime%1$s WITH (%2$s);\\nEND $publication$;'
    else 'ALTER PUBLICATION supabase_realtime SET (%2$s);' end as text) remade
where p.pubname = 'supabase_realtime' and (p.puballtables or options.given <> options.usual)
order by key`;

export async function readObjectNotes(
  client: pg.ClientBase,
  schemas?: readonly string[],
): Promise<ObjectNotes> {
  if (schemas) return new Map();
  await client.query("begin read only; set local search_path = pg_catalog, pg_temp");
  try {
    const { rows } = await client.query<ObjectNote & { key: string }>(NOTES);
    return new Map(rows.map(({ key, set, reset }) => [key, { set, reset }]));
  } finally {
    await client.query("rollback");
  }
}

/** The statements that say of the objects of `made` what is said of those of `wanted`. */
export function changedNotes(made: ObjectNotes, wanted: ObjectNotes): string[] {
  const gone = [...made].filter(([key]) => !wanted.has(key));
  const changed = [...wanted].filter(([key, { set }]) => made.get(key)?.set !== set);
  return [...gone.map(([, { reset }]) => reset), ...changed.map(([, { set }]) => set)];
}
