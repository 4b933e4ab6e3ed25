/**
 * Owns how the superuser's sessions know a database that the stack has made. Role `postgres` owns the project's database
 * and may put another in its place while nobody is connected; there, a view or a trigger of its own would run with all
 * rights.
 */
import type pg from "pg";
import { UserError } from "../core/user-error.ts";

/** Only a superuser makes event triggers that it owns, and every version has made this one. */
const OURS = `select pg_catalog.current_database() as name, exists (
  select from pg_catalog.pg_event_trigger t join pg_catalog.pg_roles r on r.oid = t.evtowner and r.rolsuper
  where t.evtname = 'pgrst_ddl_watch') as ours`;

/** The superuser does not work in this database. */
export class ForeignDatabase extends UserError {
  constructor(name: string) {
    super(
      `The database ${name} was not made by Homebase: a statement (create database, alter database ... rename) has put ` +
        "it in the place of the project's, which may be there under another name. Nothing was changed. Rename both in psql, " +
        "or move the folder .homebase aside and start again.",
    );
  }
}

/** For each new session of the superuser. @throws ForeignDatabase */
export async function refuseForeignDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; ours: boolean }>(OURS);
  if (rows[0] && !rows[0].ours) throw new ForeignDatabase(rows[0].name);
}
