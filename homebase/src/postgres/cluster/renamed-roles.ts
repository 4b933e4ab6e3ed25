/**
 * Owns giving the API's roles their names back. Role postgres administers them, so a project can rename them, and drop
 * the login of REST, without which nothing is served and no new database is built. A hosted project cannot.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { splitStatements } from "../statements/split.ts";
import { MAINTENANCE } from "./cluster-client.ts";

// No session logs in by these: names of such stand in quotes of their own (test/postgres/logins.integration.test.ts).
const NAMES = "anon authenticated service_role authenticator".split(" ");
/** The setting of the maintenance database, which a project cannot alter, with their object ids. */
const IDS = "homebase.roles";
const ROLES_FILE = join(import.meta.dirname, "..", "bootstrap", "roles.sql");

/** Run in the maintenance database, by the superuser. @returns the statements that are undone by this. */
export async function restoreRoles(client: pg.ClientBase): Promise<string[]> {
  const { rows: stored } = await client.query<{ ids: string }>(
    `select substr(one, length($2) + 2) as ids from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
       cross join unnest(s.setconfig) one
     where d.datname = $1 and s.setrole = 0 and split_part(one, '=', 1) = $2`,
    [MAINTENANCE, IDS],
  );
  const known = JSON.parse(stored[0]?.ids ?? "{}") as Record<string, string>;
  const undone: string[] = [];
  for (const name of NAMES) undone.push(...(await restoreRole(client, name, known[name])));
  const { rows: now } = await client.query<{ name: string; id: string }>(
    "select rolname as name, oid::text as id from pg_roles where rolname = any ($1)",
    [NAMES],
  );
  const ids = Object.fromEntries(now.map(({ name, id }) => [name, id]));
  if (NAMES.some((name) => ids[name] !== known[name]))
    await client.query(
      `alter database ${MAINTENANCE} set ${client.escapeIdentifier(IDS)} = ${client.escapeLiteral(JSON.stringify(ids))}`,
    );
  return undone;
}

async function restoreRole(client: pg.ClientBase, name: string, id: string | undefined): Promise<string[]> {
  const { rows } = await client.query<{ given: string | null; taken: string | null }>(
    `select (select rolname from pg_roles where oid::text = $1) as given,
       (select oid from pg_roles where rolname = $2) as taken`,
    [id, name],
  );
  const { given = null, taken = null } = rows[0] ?? {};
  if (id === undefined || given === name) return [];
  if (given === null) {
    if (taken === null) await client.query(statementsOf(name));
    return [`drop role ${name}`];
  }
  if (taken !== null) await client.query(`alter role ${name} rename to ${name}_${taken}`);
  const renamed = client.escapeIdentifier(given);
  await client.query(`alter role ${renamed} rename to ${name}`);
  return [`alter role ${name} rename to ${renamed}`];
}

/** What the bootstrap says of a role; each statement may be run again for the other roles that it names. */
function statementsOf(name: string): string {
  const word = new RegExp(`\\b${name}\\b`);
  return splitStatements(readFileSync(ROLES_FILE, "utf8"))
    .map(({ text }) => text)
    .filter((text) => /^\s*(?:create|grant|alter)\b/.test(text) && word.test(text))
    .join(";\n");
}
