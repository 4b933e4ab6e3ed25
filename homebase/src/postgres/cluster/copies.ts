/** Owns copies of databases: making one with its settings, dropping it, and removing those that a kill has left behind. */
import type pg from "pg";
import { SUPERUSER } from "../guarded-logins.ts";
import { settingValue } from "../quoting.ts";
import type { ClusterClient } from "./cluster-client.ts";

/** Hosted's collation is en_US.UTF-8; ICU's en-US sorts alike on every machine, whatever locales it has. */
const LOCALE = "locale_provider icu icu_locale 'en-US' locale 'C'";

const OBJECT_IN_USE = "55006";
/** A setting of the superuser in a database that is removed when its maker was killed. */
const SCRATCH = "homebase.scratch";

/**
 * Retry: Postgres refuses to copy a template while a session is connected to it, and a closed session may
 * linger.
 */
const CLONE_ATTEMPTS = 50;

/** Makes `name` a copy of `template`, owned by role postgres, with the settings that the stack expects. */
export async function cloneDatabase(
  cluster: ClusterClient,
  template: string,
  name: string,
  settings: Record<string, string> = {},
): Promise<void> {
  await cluster.admin(async (client) => {
    await createFrom(cluster, client, name, template, "postgres");
    await copySettings(client, template, name);
    await configure(client, name, settings);
  });
}

/** As `cloneDatabase`, of a database that is removed at the next start if this process is killed. */
export async function cloneScratch(cluster: ClusterClient, template: string, name: string): Promise<void> {
  await cluster.admin(async (client) => {
    await createScratch(cluster, client, name, template);
    await copySettings(client, template, name);
  });
}

export async function configure(
  client: pg.ClientBase,
  name: string,
  settings: Record<string, string>,
): Promise<void> {
  const quoted = client.escapeIdentifier(name);
  const statements = Object.entries(settings).map(
    ([key, value]) =>
      `alter database ${quoted} set ${client.escapeIdentifier(key)} = ${client.escapeLiteral(value)}`,
  );
  if (statements.length > 0) await client.query(statements.join(";"));
}

/** Copies the settings of a database, which Postgres does not. Homebase's own are left out. */
export async function copySettings(client: pg.ClientBase, from: string, to: string): Promise<void> {
  const quoted = client.escapeIdentifier(to);
  const { rows } = await client.query<{ role: string | null; setconfig: string[] }>(
    `select r.rolname as role, s.setconfig from pg_db_role_setting s
     join pg_database d on d.oid = s.setdatabase left join pg_roles r on r.oid = s.setrole where d.datname = $1`,
    [from],
  );
  const statements = rows.flatMap(({ role, setconfig }) =>
    setconfig
      .map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const)
      .filter(([name]) => !name.startsWith("homebase."))
      .map(([name, value]) => {
        const scope =
          role === null
            ? `database ${quoted}`
            : `role ${client.escapeIdentifier(role)} in database ${quoted}`;
        return `alter ${scope} set ${client.escapeIdentifier(name)} = ${settingValue(name, value)}`;
      }),
  );
  if (statements.length > 0) await client.query(statements.join(";"));
}

/** A slot is active until the process that reads it has ended. */
const SLOT_PATIENCE_MS = 10_000;

/** Drops a database, terminating its remaining sessions and replication slots. */
export async function dropDatabase(cluster: ClusterClient, name: string): Promise<void> {
  await cluster.release(name);
  await cluster.admin(async (client) => {
    await client.query(
      `select pg_terminate_backend(active_pid, ${SLOT_PATIENCE_MS}) from pg_replication_slots where database = $1 and active`,
      [name],
    );
    await client.query(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots
       where database = $1 and not active and not temporary`,
      [name],
    );
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
  });
}

/**
 * Makes `name` a copy of `from` that nobody needs once this process has ended. The superuser's setting says so: role
 * `postgres`, which gets the database, cannot make one.
 */
export async function createScratch(
  cluster: ClusterClient,
  client: pg.ClientBase,
  name: string,
  from: string,
): Promise<void> {
  await createFrom(cluster, client, name, from, SUPERUSER);
  const quoted = client.escapeIdentifier(name);
  await client.query(
    `alter role ${SUPERUSER} in database ${quoted} set ${SCRATCH} = 'on'; alter database ${quoted} owner to postgres`,
  );
}

/**
 * Drops the databases of killed processes, and the finished templates and bases that are `old`. For a cluster of one
 * project, while nothing is built: a test run's has the templates of others.
 */
export async function dropLeftovers(cluster: ClusterClient, old: (name: string) => boolean): Promise<void> {
  await cluster.admin(async (client) => {
    const { rows } = await client.query<{ name: string; finished: boolean }>(
      `select d.datname as name, not d.datallowconn as finished from pg_database d
       where d.datname ~ '^(postgres_diff|homebase_(template|base))_'
         and (d.datdba = to_regrole($1) or exists (
           select from pg_db_role_setting s
           where s.setdatabase = d.oid and s.setrole = to_regrole($1) and $2 = any (s.setconfig)))`,
      [SUPERUSER, `${SCRATCH}=on`],
    );
    for (const { name } of rows.filter((one) => !one.finished || old(one.name))) {
      await client
        .query(`drop database if exists ${client.escapeIdentifier(name)}`)
        .catch((error: unknown) => {
          // Somebody is copying it at this moment.
          if ((error as { code?: string }).code !== OBJECT_IN_USE) throw error;
        });
    }
  });
}

export async function createFrom(
  cluster: ClusterClient,
  client: pg.ClientBase,
  name: string,
  template: string,
  owner: string,
): Promise<void> {
  // Copying files requires checkpoints, which are cheap without fsync; then it is the faster strategy.
  const strategy = cluster.address.durable ? "wal_log" : "file_copy";
  for (let attempt = 1; ; attempt += 1) {
    try {
      const locale = template === "template0" ? LOCALE : "";
      await client.query(
        `create database ${client.escapeIdentifier(name)} template ${client.escapeIdentifier(template)} owner ${owner} strategy ${strategy} ${locale}`,
      );
      return;
    } catch (error) {
      const busy = (error as { code?: string }).code === OBJECT_IN_USE;
      if (!busy || attempt >= CLONE_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
