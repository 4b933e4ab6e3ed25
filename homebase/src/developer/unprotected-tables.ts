/** Owns finding the tables that the API's roles reach without row level security. */
import type { Database } from "../postgres/database.ts";

/** As `schema.table`, of the schemas that the API exposes. Tables of extensions are left out. */
export async function unprotectedTables(database: Database, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "postgres",
    `select pg_catalog.format('%I.%I', n.nspname, c.relname) as name
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relrowsecurity and n.nspname = any ($1)
       and (pg_catalog.has_table_privilege('anon', c.oid, 'select, insert, update, delete')
         or pg_catalog.has_table_privilege('authenticated', c.oid, 'select, insert, update, delete'))
       and not exists (select from pg_catalog.pg_depend d
         where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}
