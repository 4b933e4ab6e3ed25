/** Owns the description of a database's objects as lines of text, so that two databases can be compared. */
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";

const OWN = "n.nspname !~ '^(pg_|information_schema$)'";
const QUERIES = [
  `select format('schema %s owner %s acl %s', nspname, nspowner::regrole, (select array_agg(a order by a::text)
     from unnest(nspacl) a)) from pg_namespace n where ${OWN}`,
  `select format('relation %s.%s %s owner %s acl %s rls %s %s', nspname, relname, relkind, relowner::regrole, relacl,
     relrowsecurity, relforcerowsecurity) from pg_class c join pg_namespace n on n.oid = relnamespace where ${OWN}`,
  `select format('column %s.%s.%s %s notnull %s default %s acl %s', nspname, relname, attname,
     format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attacl)
   from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
   left join pg_attrdef d on adrelid = attrelid and adnum = attnum where attnum > 0 and not attisdropped and ${OWN}`,
  `select format('constraint %s on %s: %s', conname, conrelid::regclass, pg_get_constraintdef(k.oid))
   from pg_constraint k join pg_namespace n on n.oid = connamespace where ${OWN}`,
  `select format('index %s', pg_get_indexdef(indexrelid)) from pg_index i join pg_class c on c.oid = indexrelid
   join pg_namespace n on n.oid = relnamespace where ${OWN}`,
  `select format('function %s owner %s acl %s', case when prokind = 'a' then p.oid::regprocedure::text
     else pg_get_functiondef(p.oid) end, proowner::regrole, proacl)
   from pg_proc p join pg_namespace n on n.oid = pronamespace where ${OWN}`,
  `select format('function %s owner %s acl %s', pg_get_functiondef(p.oid), proowner::regrole, proacl)
   from pg_proc p where pronamespace = 'pg_catalog'::regnamespace and p.oid >= 16384`,
  `select format('member %s of %s', pg_describe_object(classid, objid, 0), extname) from pg_depend d
   join pg_extension e on e.oid = refobjid where deptype = 'e' and refclassid = 'pg_extension'::regclass and objid >= 16384`,
  `select format('extension %s requires %s', e.extname, r.extname) from pg_depend d join pg_extension e on e.oid = objid
   join pg_extension r on r.oid = refobjid where classid = 'pg_extension'::regclass and refclassid = 'pg_extension'::regclass`,
  "select format('trigger %s enabled %s', pg_get_triggerdef(oid), tgenabled) from pg_trigger where not tgisinternal",
  `select format('policy %s on %s: %s %s %s using %s check %s', polname, polrelid::regclass, polpermissive, polcmd,
     polroles::regrole[], pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy`,
  `select format('type %s.%s %s owner %s %s', nspname, typname, typtype, typowner::regrole,
     (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid))
   from pg_type t join pg_namespace n on n.oid = typnamespace where ${OWN}`,
  "select format('event trigger %s %s %s %s', evtname, evtevent, evtfoid::regproc, evttags) from pg_event_trigger",
  `select format('default acl %s %s %s %s', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl)
   from pg_default_acl`,
  "select format('extension %s %s in %s', extname, extversion, extnamespace::regnamespace) from pg_extension",
  "select format('publication %s %s %s', pubname, puballtables, pubowner::regrole) from pg_publication",
];

/** Realtime's tables of a day: those of a database made yesterday are not those of one made today. */
const TABLE_OF_A_DAY = /messages_\d{4}_\d\d_\d\d/;

/** Every object of a database with its definition, owner and rights, sorted. */
export async function describeDatabase(cluster: ClusterClient, name: string): Promise<string[]> {
  return cluster.admin(async (client) => {
    const lines: string[] = [];
    for (const text of QUERIES) {
      const { rows } = await client.query<{ format: string }>(text);
      lines.push(...rows.map(({ format }) => format));
    }
    return lines.filter((line) => !TABLE_OF_A_DAY.test(line)).sort();
  }, name);
}
