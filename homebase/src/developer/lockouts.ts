/**
 * Owns what a project can do to a database and its login roles that keeps everybody out of it. It keeps the stack out too, so
 * no later migration could take it back.
 */
import type pg from "pg";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { restoreRoles } from "../postgres/cluster/renamed-roles.ts";
import { SESSIONS } from "../postgres/server-sessions.ts";

/** Applies migrations. The others, of the API for example, may be limited as tightly as a project likes. */
const MIGRATING = "postgres";
const TIMEOUT = /^(?:statement|transaction|lock|idle_session|idle_in_transaction_session)_timeout$/;
/** Below this, in milliseconds, not even a login is sure to come to its end. */
const SHORTEST_TIMEOUT = 100;
/** The services' pools need more. */
const FEWEST_CONNECTIONS = 20;

interface Setting {
  /** Null for the database's own. */
  role: string | null;
  /** Whether it is of this database, and not of the role everywhere. */
  here: boolean;
  name: string;
  value: string;
}

/** Whether this setting keeps everybody from working in the database. */
export function locksOut({ role, name, value }: Omit<Setting, "here">): boolean {
  // The folder that such libraries are loaded from does not exist here, so every login would fail.
  if (name === "local_preload_libraries") return value !== "";
  if (name === "role") return value !== "none";
  if (role !== null && role !== MIGRATING) return false;
  if (name === "default_transaction_read_only") return !/^(?:off?|f(?:a(?:l(?:se?)?)?)?|no?|0)$/i.test(value);
  const [, count = "", unit = "ms"] = /^(\d+)\s*(us|ms)?$/.exec(value) ?? [];
  const milliseconds = Number(count) / (unit === "us" ? 1000 : 1);
  return TIMEOUT.test(name) && milliseconds > 0 && milliseconds < SHORTEST_TIMEOUT;
}

/**
 * Undoes such things in a database and its cluster, as the superuser.
 * @returns the statements that had made them.
 */
export function resetLockouts(cluster: ClusterClient, database: string): Promise<string[]> {
  return cluster.admin(async (client) => [
    ...(await restoreRoles(client)),
    ...(await resetSettings(client, database)),
    ...(await openDatabase(client, database)),
  ]);
}

const LOGINS = SESSIONS.map(({ role }) => role);

async function resetSettings(client: pg.ClientBase, database: string): Promise<string[]> {
  const name = client.escapeIdentifier(database);
  const { rows } = await client.query<Setting>(
    `select r.rolname as role, s.setdatabase <> 0 as here, split_part(one, '=', 1) as name,
       substr(one, strpos(one, '=') + 1) as value
     from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) one
     where s.setdatabase in (0, (select oid from pg_database where datname = $1))
       and (s.setrole = 0 or r.rolname = any ($2))`,
    [database, LOGINS],
  );
  const undone: string[] = [];
  for (const setting of rows.filter(locksOut)) {
    const { role, here, name: parameter, value } = setting;
    const target = role ? `role ${role}${here ? ` in database ${name}` : ""}` : `database ${name}`;
    await client.query(`alter ${target} reset ${client.escapeIdentifier(parameter)}`);
    undone.push(`alter ${target} set ${parameter} = ${client.escapeLiteral(value)}`);
  }
  return undone;
}

/** Whether the logins of the stack's sessions may connect, and enough of them at once; each row undoes what prevents it. */
const CLOSED = `
  select format('alter database %I connection limit %s', datname, datconnlimit) as made,
    format('alter database %I connection limit -1', datname) as undoing
  from pg_database where datname = $1 and datconnlimit between 0 and $3 - 1
  union all
  select format('alter database %I allow_connections false', datname), format('alter database %I allow_connections true', datname)
  from pg_database where datname = $1 and not datallowconn
  union all
  select format('revoke connect on database %I from public', datname), format('grant connect on database %I to public', datname)
  from pg_database d where datname = $1 and exists (
    select from pg_roles r where r.rolname = any ($2) and not has_database_privilege(r.oid, d.oid, 'connect'))
  union all
  select format('alter role %I connection limit %s', rolname, rolconnlimit), format('alter role %I connection limit -1', rolname)
  from pg_roles where rolname = any ($2) and rolconnlimit between 0 and $3 - 1`;

async function openDatabase(client: pg.ClientBase, database: string): Promise<string[]> {
  const { rows } = await client.query<{ made: string; undoing: string }>(CLOSED, [
    database,
    LOGINS,
    FEWEST_CONNECTIONS,
  ]);
  for (const { undoing } of rows) await client.query(undoing);
  return rows.map(({ made }) => made);
}
