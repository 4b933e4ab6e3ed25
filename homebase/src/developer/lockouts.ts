/**
 * Owns settings of a database and of its login roles that keep everybody out of it. They keep the stack out too, so no
 * later migration could take them back.
 */
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { SESSIONS } from "../postgres/sessions.ts";

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
 * Resets such settings of a database, as the superuser.
 * @returns the statements that had made them.
 */
export function resetLockouts(cluster: ClusterClient, database: string): Promise<string[]> {
  return cluster.admin(async (client) => {
    const name = client.escapeIdentifier(database);
    const { rows } = await client.query<Setting>(
      `select r.rolname as role, s.setdatabase <> 0 as here, split_part(one, '=', 1) as name,
         substr(one, strpos(one, '=') + 1) as value
       from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) one
       where s.setdatabase in (0, (select oid from pg_database where datname = $1))
         and (s.setrole = 0 or r.rolname = any ($2))`,
      [database, SESSIONS.map(({ role }) => role)],
    );
    const undone: string[] = [];
    for (const setting of rows.filter(locksOut)) {
      const { role, here, name: parameter, value } = setting;
      const target = role ? `role ${role}${here ? ` in database ${name}` : ""}` : `database ${name}`;
      await client.query(`alter ${target} reset ${client.escapeIdentifier(parameter)}`);
      undone.push(`alter ${target} set ${parameter} = ${client.escapeLiteral(value)}`);
    }
    const { rows: limited } = await client.query<{ datconnlimit: number }>(
      "select datconnlimit from pg_database where datname = $1 and datconnlimit between 0 and $2 - 1",
      [database, FEWEST_CONNECTIONS],
    );
    for (const { datconnlimit } of limited) {
      await client.query(`alter database ${name} connection limit -1`);
      undone.push(`alter database ${name} connection limit ${datconnlimit}`);
    }
    return undone;
  });
}
