/**
 * Owns objects of a project that earlier versions let it make, and that would lend it rights: they are switched off before
 * anybody of the project's logs in.
 */
import type { Database } from "../postgres/database.ts";

interface Unsafe {
  name: string;
  statement: string;
}

const UNSAFE = `
  select 'event trigger ' || evtname as name,
    format('alter event trigger %I disable; alter event trigger %1$I owner to supabase_admin', evtname) as statement
  from pg_event_trigger t join pg_roles r on r.oid = t.evtowner
  where t.evtevent = 'login' and (t.evtenabled <> 'D' or not r.rolsuper)
  union all
  select 'foreign data wrapper ' || fdwname, format('alter foreign data wrapper %I no handler', fdwname)
  from pg_foreign_data_wrapper w join pg_roles r on r.oid = w.fdwowner
  where not r.rolsuper and w.fdwhandler <> 0 and w.fdwvalidator is distinct from homebase_validator_of(w.fdwhandler)`;

/**
 * Disables event triggers on login, which fire in the stack's sessions too, and takes the handlers from wrappers that have
 * another validator than their extension's. @returns their names.
 */
export async function disableUnsafeObjects(database: Database): Promise<string[]> {
  const { rows } = await database.query<Unsafe>("supabase_admin", UNSAFE);
  for (const { statement } of rows) await database.query("supabase_admin", statement);
  return rows.map(({ name }) => name);
}
