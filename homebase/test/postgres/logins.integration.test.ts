/**
 * Who may log in to a cluster, and how: the superuser by the socket only and with this cluster's password, and
 * nobody takes a base backup. Also the list of the stack's own sessions.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { lookAtVaultKey } from "../../src/developer/missing-vault-key.ts";
import { ProjectDatabase } from "../../src/developer/project-database.ts";
import { DATABASE } from "../../src/developer/stack-databases.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { cloneDatabase } from "../../src/postgres/cluster/copies.ts";
import { noteLogins } from "../../src/postgres/cluster/login-access.ts";
import { type Server, serverSettings } from "../../src/postgres/cluster/server-process.ts";
import { ensureBase } from "../../src/postgres/cluster/template-databases.ts";
import { vaultKeyPath } from "../../src/postgres/cluster/vault-key.ts";
import {
  EXPLAIN_ROLE,
  HTTP_ROLE,
  loginPassword,
  READER_ROLE,
  REPLICATION_ROLE,
  SUPERUSER,
} from "../../src/postgres/guarded-logins.ts";
import { SESSIONS } from "../../src/postgres/server-sessions.ts";
import { createBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { wings } from "../../wings/index.ts";
import { removeServerFolder } from "../cli/project.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { ChangeRig, on } from "../realtime/change-rig.ts";
import { sourceFiles, sourcesWith, sourceText } from "../sources.ts";

/** Bytes that Postgres sends before the first file of a backup. */
const HEADERS = 1_000;
// Other files' statements would push this server's own out of those that are remembered.
await useOwnCluster();
const cluster = await testCluster(process.cwd());
const folders: string[] = [];

const backend = await createBackend({ bare: true });
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  for (const folder of folders) {
    removeServerFolder(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs a statement on a connection of its own. @returns its rows, or the server's message */
async function attempt(config: pg.ClientConfig & { replication?: string }, text: string): Promise<unknown> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  let bytes = 0;
  try {
    await client.connect();
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    connection.on("copyData", ({ chunk }: { chunk: Buffer }) => {
      bytes += chunk.length;
    });
    return (await client.query(text)).rows;
  } catch (error) {
    return `${(error as Error).message}${bytes > HEADERS ? ` after ${bytes} bytes` : ""}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function tcp(user: string, password = "postgres"): pg.ClientConfig {
  return { host: "127.0.0.1", port: cluster.address.port, database: backend.database.name, user, password };
}

function socket(user: string, password?: string): pg.ClientConfig {
  const { socketFolder: host, port } = cluster.address;
  return { host, port, database: backend.database.name, user, password };
}

const own = (role: string) => loginPassword(cluster.address.secret, role);

test.each([SUPERUSER, REPLICATION_ROLE, EXPLAIN_ROLE, HTTP_ROLE, READER_ROLE])(
  "%s does not log in by TCP, with any password",
  async (role) => {
    for (const password of ["postgres", own(role)]) {
      expect(await attempt(tcp(role, password), "select 1")).toMatch(/pg_hba.conf rejects connection/);
    }
  },
);

test.each([SUPERUSER, REPLICATION_ROLE, EXPLAIN_ROLE, HTTP_ROLE, READER_ROLE])(
  "%s needs this cluster's password at the socket",
  async (role) => {
    expect(await attempt(socket(role, "postgres"), "select 1")).toMatch(/password authentication failed/);
    expect(await attempt(socket(role, own(role)), "select session_user::text as name")).toEqual([
      { name: role },
    ]);
  },
);

test("the passwords differ, and those of every cluster", () => {
  expect(own(SUPERUSER)).not.toBe(own(REPLICATION_ROLE));
  expect(own(SUPERUSER)).toMatch(/^[\w-]{43}$/);
  expect(loginPassword("another", SUPERUSER)).not.toBe(own(SUPERUSER));
});

test("the roles of the stack alone are no superusers", async () => {
  expect(
    await backend.sql(
      "select rolname::text as name, rolsuper or rolcreaterole as strong, rolbypassrls as reads_all from pg_roles where rolname like 'homebase%' order by 1",
    ),
  ).toEqual([
    { name: EXPLAIN_ROLE, strong: false, reads_all: false },
    { name: HTTP_ROLE, strong: false, reads_all: false },
    { name: READER_ROLE, strong: false, reads_all: true },
    { name: REPLICATION_ROLE, strong: false, reads_all: false },
  ]);
});

test("the login of explanations may become postgres, and postgres not that login", async () => {
  const what =
    "select set_config('role', 'postgres', false) as role, current_setting('session_preload_libraries') as libraries";
  expect(await attempt(socket(EXPLAIN_ROLE, own(EXPLAIN_ROLE)), what)).toEqual([
    { role: "postgres", libraries: "auto_explain" },
  ]);
  for (const statement of [
    `set role ${EXPLAIN_ROLE}`,
    `grant ${EXPLAIN_ROLE} to postgres`,
    `alter role ${EXPLAIN_ROLE} password 'x'`,
    `alter role ${EXPLAIN_ROLE} set session_preload_libraries = other`,
    `drop role ${EXPLAIN_ROLE}`,
  ])
    await expect(backend.sql(statement), statement).rejects.toMatchObject({ code: "42501" });
});

test("a function that dials the server's socket does not become the superuser", async () => {
  await backend.database.query(
    "supabase_admin",
    "create extension if not exists dblink with schema extensions",
    [],
  );
  await backend.database.query(
    "supabase_admin",
    "grant execute on function extensions.dblink_connect_u(text) to postgres",
    [],
  );
  const { socketFolder, port } = cluster.address;
  for (const password of ["", "password=postgres"]) {
    await expect(
      backend.sql("select extensions.dblink_connect_u($1)", [
        `host=${socketFolder} port=${port} dbname=${backend.database.name} user=supabase_admin ${password}`,
      ]),
    ).rejects.toMatchObject({ detail: expect.stringMatching(/password/) });
  }
});

test("a base backup is taken by nobody: not over TCP, and not by the role that reads the log", async () => {
  for (const command of [
    "BASE_BACKUP (CHECKPOINT 'fast')",
    "BASE_BACKUP (CHECKPOINT 'fast', TARGET 'blackhole')",
  ]) {
    for (const role of ["postgres", "supabase_replication_admin", "supabase_etl_admin"]) {
      expect(await attempt({ ...tcp(role), replication: "true" }, command)).toMatch(
        /pg_hba.conf rejects replication connection/,
      );
      expect(await attempt({ ...tcp(role), replication: "database" }, command)).toMatch(
        /permission denied to start WAL sender/,
      );
    }
    const reader = { ...socket(REPLICATION_ROLE, own(REPLICATION_ROLE)), replication: "database" };
    expect(await attempt(reader, command)).toMatch(
      /file name too long for tar format: .*homebase-refuses-base-backups-[\w-]+"$/,
    );
  }
});

// The plugin of a slot may be a library by its path, which the server then loads.
test("no role of the project has REPLICATION, gives it, or loads a library as a decoding plugin", async () => {
  expect(
    await backend.sql("select rolname::text as name from pg_roles where rolreplication and not rolsuper"),
  ).toEqual([{ name: REPLICATION_ROLE }]);
  await expect(backend.sql("alter role postgres replication")).rejects.toThrow(/permission denied/);
  await expect(backend.sql("create role dialled replication")).rejects.toThrow(/permission denied/);
  for (const plugin of ["../../library.so", "pgoutput"])
    await expect(
      backend.sql("select pg_create_logical_replication_slot('loads', $1, true)", [plugin]),
    ).rejects.toThrow("permission denied to use replication slots");
});

test("the text of no statement that pg_stat_statements shows has a password of the stack's own", async () => {
  const texts = await backend.sql<{ query: string }>("select query from extensions.pg_stat_statements");
  const setting = texts.filter(({ query }) =>
    /^alter role (supabase_admin|homebase_\w+) password/.test(query),
  );
  expect(setting.length).toBeGreaterThan(0);
  for (const role of [SUPERUSER, REPLICATION_ROLE])
    expect(texts.filter(({ query }) => query.includes(own(role)))).toEqual([]);
  expect(setting.filter(({ query }) => !query.includes("'SCRAM-SHA-256$"))).toEqual([]);
});

/** Calls that open a session or take one of a pool, with the role's name. */
const OPENS =
  /\b(?:connection|pool|pipeline)\(\s*"([a-z_]+)"|\b(?:query|transaction)(?:<[^()]*?>)?\(\s*"([a-z_]+)",/g;
/** Roles that no other code has a reason to name. */
const NAMED =
  /"(authenticator|supabase_auth_admin|supabase_storage_admin|homebase_replication|homebase_explain)"/g;
/** Where they are named without a session: the type of logins, and SESSION_USER of the service that is explained. */
const NAMERS = ["postgres/database.ts", "explain/database/explained-caller.ts"];
/** Where connections are made; those of the wings `rest-server` and `deploy`, of `cli` and of `tools` are to servers that the caller names. */
const MADE = /new (?:pg\.(?:Client|Pool)|ScramClient|LoginPool|PipelinePool)\(|^import \{.*\/connected\.ts"/m;
const MAKERS = [
  "background/function-checks.ts",
  "diff/compared-database.ts",
  "diff/project-diff.ts",
  "background/jobs.ts",
  "cli/commands/explain/asked.ts",
  "cli/commands/db/query.ts",
  "wings/console/server/owner-connections.ts",
  "wings/deploy/target/database.ts",
  "explain/function-call.ts",
  "wings/mcp/request-tools.ts",
  "catalog/session.ts",
  "postgres/cluster/cluster-client.ts",
  "postgres/connected.ts",
  "postgres/database.ts",
  "postgres/migrations.ts",
  "postgres/notifications.ts",
  "postgres/pipeline/connection.ts",
  "realtime/changes/feed.ts",
  "realtime/changes/replication/stream.ts",
  "wings/rest-server/connection.ts",
  "wings/rest-server/hosts.ts",
  "tools/command-connection.ts",
  "tools/dump/schema-statements.ts",
  "tools/used-in-bodies.ts",
  "tools/why-request.ts",
];

test("every session that the code opens is in the list, and nothing else", () => {
  const found = new Map<string, Set<string>>();
  const makers: string[] = [];
  const add = (role: string, place: string) => found.set(role, (found.get(role) ?? new Set()).add(place));
  for (const place of sourceFiles("{ts,sql}")) {
    const text = sourceText(place);
    if (/user=homebase_http/.test(text)) add("homebase_http", place);
    if (!place.endsWith(".ts") || place === "postgres/server-sessions.ts") continue;
    if (MADE.test(text)) makers.push(place);
    if (/loginPassword\(secret, login\)/.test(text)) add("homebase_job", place);
    if (place === "postgres/guarded-logins.ts") continue;
    for (const [, role, other = ""] of text.matchAll(OPENS)) add(role ?? other, place);
    if (!NAMERS.includes(place)) for (const [, role = ""] of text.matchAll(NAMED)) add(role, place);
  }
  const listed = new Map(
    SESSIONS.map(({ role, places }) => [
      role,
      [...places, ...wings.flatMap(({ sessions = {} }) => sessions[role] ?? [])].sort(),
    ]),
  );
  expect(new Map([...found].map(([role, places]) => [role, [...places].sort()]))).toEqual(listed);
  expect(makers.sort()).toEqual([...MAKERS].sort());
});

/**
 * What runs SQL as the superuser on a connection of its own, with what that SQL is. None holds an expression of the
 * project's, which runs the project's code where it is only parsed: such statements go through `asProject`.
 */
const ADMINS: Record<string, string> = {
  "developer/lockouts.ts": "resets settings of roles and databases, by their names",
  "developer/stack-databases.ts": "reads, sets and renames databases, from the maintenance database",
  "developer/missing-vault-key.ts": "counts the rows of a table that a superuser owns; drops templates",
  "explain/coverage/counts.ts": "reads the catalogue's statistics of functions",
  "wings/hosted/login-role.ts": "makes and drops roles, from the maintenance database",
  "postgres/cluster/cluster.ts": "settings of the server, from the maintenance database",
  "postgres/cluster/copies.ts": "makes, configures and drops databases, from the maintenance database",
  "postgres/cluster/maintenance.ts": "renames the maintenance database",
  "postgres/cluster/template-databases.ts":
    "builds bases and templates; Homebase's own SQL before a project's",
  "postgres/upgrades/apply.ts": "Homebase's own SQL (test/postgres/superuser tries it on a hostile database)",
};

test("every place that runs SQL as the superuser says what it runs", () => {
  expect(sourcesWith(/\.admin\(/)).toEqual(Object.keys(ADMINS).sort());
});

test("the sessions of a running Backend are of these roles, by the socket", async () => {
  const rig = new ChangeRig(backend);
  await rig.table("watched", "id int primary key");
  const listener = await rig.listener([on("watched")]);
  await backend.sql("insert into public.watched values (1)");
  await expect.poll(() => listener.changes.length).toBe(1);
  const { rows } = await backend.database.query<{ name: string; tcp: boolean }>(
    "supabase_admin",
    `select distinct usename::text as name, client_addr is not null as tcp from pg_stat_activity
     where datname = current_database()`,
    [],
  );
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([SUPERUSER, REPLICATION_ROLE]));
  const roles = SESSIONS.map(({ role }) => role);
  expect(rows.filter(({ name, tcp: byTcp }) => byTcp || !roles.includes(name))).toEqual([]);
  await listener.close();
});

/** Texts that a file of the data folder may set, with the reason why they run and open nothing. */
const HARMLESS: Record<string, string> = {
  bonjour_name: "a name",
  cluster_name: "a name",
  data_directory: "the folder itself",
  debug_io_direct: "a choice",
  event_source: "a name",
  krb_server_keyfile: "no rule asks for this way of authentication",
  log_directory: "the logging collector is off",
  log_filename: "the logging collector is off",
  primary_slot_name: "there is no primary",
  recovery_target: "a choice",
  recovery_target_lsn: "a position",
  recovery_target_name: "a name",
  recovery_target_time: "a time",
  recovery_target_timeline: "a number",
  recovery_target_xid: "a number",
  ssl_ca_file: "TLS is off",
  ssl_cert_file: "TLS is off",
  ssl_ciphers: "TLS is off",
  ssl_crl_dir: "TLS is off",
  ssl_crl_file: "TLS is off",
  ssl_dh_params_file: "TLS is off",
  ssl_ecdh_curve: "TLS is off",
  ssl_key_file: "TLS is off",
  synchronized_standby_slots: "there is no standby",
  synchronous_standby_names: "there is no standby",
  syslog_ident: "a name",
  unix_socket_group: "its members are still closed out by the mode",
};

test("settings that name programs, libraries and files come from the command line", async () => {
  const { rows } = await backend.database.query<{ name: string }>(
    "supabase_admin",
    `select name from pg_settings
     where vartype = 'string' and source not in ('command line', 'override')
       and context in ('postmaster', 'sighup')`,
    [],
  );
  expect(rows.map(({ name }) => name).filter((name) => HARMLESS[name] === undefined)).toEqual([]);
});

test("what the stack owns outranks the settings of a project", () => {
  const server = {
    folder: "/data",
    socketFolder: "/sockets",
    options: {
      projectFolder: "/",
      port: 1,
      durable: true,
      settings: { archive_command: "id", hba_file: "/x", work_mem: "8MB" },
    },
  } as unknown as Server;
  const settings = Object.fromEntries(
    serverSettings(server, "/sockets/hba.conf")
      .filter((word) => word !== "-c")
      .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
  expect(settings).toMatchObject({ archive_command: "", hba_file: "/sockets/hba.conf", work_mem: "8MB" });
});

test("settings and rules that lie in the data folder do nothing", async () => {
  const folder = projectFolder();
  const options = { projectFolder: folder, port: undefined, durable: true };
  const first = await Cluster.start(options);
  await first.stop();
  const ran = join(folder, "ran");
  const hostile = `archive_mode = on\narchive_command = 'touch ${ran}'\nshared_preload_libraries = 'nothing'\nhba_file = '/nothing'\n`;
  for (const file of ["postgresql.conf", "postgresql.auto.conf"])
    writeFileSync(join(first.folder, file), hostile);
  writeFileSync(join(first.folder, "pg_hba.conf"), "local all all trust\n");
  const second = await Cluster.start(options);
  const { rows } = await second.admin(async (client) => {
    await client.query("select pg_switch_wal()");
    return client.query(
      "select current_setting('archive_mode') as mode, current_setting('archive_command') as command",
    );
  });
  expect(rows).toEqual([{ mode: "off", command: "(disabled)" }]);
  await second.stop();
  expect(existsSync(ran)).toBe(false);
}, 180_000);

function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-logins-"));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** It has rights in the base, which accepts no connections, so that it cannot be dropped. */
const withoutHttpRole = `alter role ${HTTP_ROLE} rename to before`;

test("a cluster of an earlier version gets its passwords at the next start", async () => {
  const folder = projectFolder();
  const options = { projectFolder: folder, port: undefined, durable: true };
  const first = await Cluster.start(options);
  await first.admin((client) =>
    client.query(`${withoutHttpRole}; drop role ${READER_ROLE}, ${REPLICATION_ROLE}`),
  );
  await first.admin((client) => client.query("alter role supabase_admin password 'postgres'"));
  await first.stop();
  const second = await Cluster.start(options);
  const { socketFolder: host, port } = second.address;
  const place = { host, port, database: "homebase", user: SUPERUSER };
  expect(await attempt({ ...place, password: "postgres" }, "select 1")).toMatch(
    /password authentication failed/,
  );
  const { rows } = await second.admin((client) =>
    client.query(
      "select count(*)::int as count from pg_roles where rolname in ('homebase_http', 'homebase_reader', 'homebase_replication')",
    ),
  );
  expect(rows).toEqual([{ count: 3 }]);
  await second.stop();
  const third = await Cluster.start(options);
  expect(third.address.secret).toBe(second.address.secret);
  await third.stop();
}, 180_000);

/** What the stack's logins have more than role postgres gives. */
const POWERS = `rolcanlogin as login, rolreplication as replication, rolbypassrls as "allRows", rolsuper as super,
  rolcreaterole as "makesRoles", exists (select from pg_auth_members m where m.member = r.oid
    and m.roleid::regrole::text in ('pg_read_all_data', 'postgres') and m.grantor = 10) as member`;
const NONE = {
  login: false,
  replication: false,
  allRows: false,
  super: false,
  makesRoles: false,
  member: false,
};

test("a role that a project of an earlier version has made does not become the stack's own, and keeps no power", async () => {
  const options = { projectFolder: projectFolder(), port: undefined, durable: true };
  const first = await Cluster.start(options);
  await ensureBase(first);
  const made = [REPLICATION_ROLE, HTTP_ROLE, READER_ROLE, EXPLAIN_ROLE];
  const oids = await first.admin(async (client) => {
    await client.query(withoutHttpRole);
    await client.query(`drop role ${made.filter((role) => role !== HTTP_ROLE).join(", ")}`);
    await client.query(
      "create role maker createrole; create schema made authorization maker; set role maker",
    );
    await client.query(`${made.map((role) => `create role ${role} login`).join(";")};
      grant ${REPLICATION_ROLE}, ${HTTP_ROLE}, ${EXPLAIN_ROLE} to maker;
      create function made.owned() returns int language sql security definer as 'select 1';
      grant create on schema made to ${READER_ROLE}; grant ${READER_ROLE} to maker;
      alter function made.owned() owner to ${READER_ROLE};
      revoke ${READER_ROLE} from maker`);
    // What an earlier version gave it, and a role that it had renamed.
    await client.query(`reset role; alter role ${REPLICATION_ROLE} replication createrole;
      alter role ${READER_ROLE} bypassrls; grant pg_read_all_data to ${READER_ROLE}; grant postgres to ${EXPLAIN_ROLE};
      create role renamed superuser replication login; alter role renamed set work_mem = '1MB'`);
    const { rows } = await client.query<{ oid: string }>("select 'renamed'::regrole::oid as oid");
    await client.query(`alter role renamed rename to ${REPLICATION_ROLE}_${rows[0]?.oid}`);
    const all = await client.query<{ name: string }>(
      `select r.rolname as name from pg_roles r where r.rolname ~ '^homebase_'`,
    );
    return all.rows;
  });
  expect(oids).toHaveLength(5);
  await first.stop();
  noteLogins(first.folder, undefined);
  const second = await Cluster.start(options);
  const { rows } = await second.admin((client) =>
    client.query(
      `select r.rolname as name, ${POWERS} from pg_roles r where rolname ~ '^homebase_.*_[0-9]+$' order by 1`,
    ),
  );
  const renamed = [EXPLAIN_ROLE, HTTP_ROLE, READER_ROLE, REPLICATION_ROLE, REPLICATION_ROLE];
  expect(rows).toEqual(
    renamed.map((role) => ({ name: expect.stringMatching(new RegExp(`^${role}_\\d+$`)), ...NONE })),
  );
  const { rows: own } = await second.admin((client) =>
    client.query(`select rolname as name, ${POWERS} from pg_roles r where rolname = any ($1) order by 1`, [
      made,
    ]),
  );
  expect(own).toEqual([
    { name: EXPLAIN_ROLE, ...NONE, login: true, member: true },
    { name: HTTP_ROLE, ...NONE, login: true },
    { name: READER_ROLE, ...NONE, login: true, allRows: true },
    { name: REPLICATION_ROLE, ...NONE, login: true, replication: true },
  ]);
  const { rows: settings } = await second.admin((client) =>
    client.query(
      "select setrole::regrole::text as role, setconfig as settings from pg_db_role_setting where setrole::regrole::text ~ '^homebase_' order by 1",
    ),
  );
  expect(settings).toEqual([
    { role: EXPLAIN_ROLE, settings: ["session_preload_libraries=auto_explain"] },
    { role: HTTP_ROLE, settings: ["event_triggers=off"] },
    { role: READER_ROLE, settings: ["event_triggers=off", "track_functions=all"] },
    { role: REPLICATION_ROLE, settings: ["event_triggers=off"] },
  ]);
  await second.stop();
}, 180_000);

test("a setting or a membership that a project or an earlier version gave to a login of the stack's neither stays nor makes it another's", async () => {
  const options = { projectFolder: projectFolder(), port: undefined, durable: true };
  const first = await Cluster.start(options);
  await ensureBase(first);
  const before = "select oid, rolname from pg_roles where rolname ~ '^homebase_' order by 1";
  const roles = await first.admin(async (client) => {
    await client.query(`alter role ${REPLICATION_ROLE} set search_path = made;
      alter role ${READER_ROLE} in database template1 set event_triggers = on;
      create role maker; grant maker to ${READER_ROLE}; grant pg_read_all_data to ${READER_ROLE}`);
    await client.query(`set role postgres; grant anon to ${READER_ROLE}; reset role`);
    return (await client.query(before)).rows;
  });
  await first.stop();
  noteLogins(first.folder, undefined);
  const second = await Cluster.start(options);
  await second.admin(async (client) => {
    expect((await client.query(before)).rows).toEqual(roles);
    const { rows } = await client.query(
      `select setconfig as settings from pg_db_role_setting where setrole in ('${REPLICATION_ROLE}'::regrole, '${READER_ROLE}'::regrole)
       union all select array[roleid::regrole::text] from pg_auth_members where member = '${READER_ROLE}'::regrole
       order by 1`,
    );
    expect(rows).toEqual([
      { settings: ["event_triggers=off"] },
      { settings: ["event_triggers=off", "track_functions=all"] },
    ]);
  });
  await second.stop();
}, 180_000);

test.each([SUPERUSER, REPLICATION_ROLE, EXPLAIN_ROLE, HTTP_ROLE, READER_ROLE])(
  "no setting is made on %s",
  async (role) => {
    await expect(
      backend.sql("select extensions.set_custom_parameter('app.x', 'y', $1::regrole)", [role]),
    ).rejects.toMatchObject({ code: "42501" });
  },
);

test("a database that a project has made under the name of the base is not copied", async () => {
  const started = await Cluster.start({ projectFolder: projectFolder(), port: undefined, durable: true });
  const base = await ensureBase(started);
  const { rows } = await started.admin(async (client) => {
    await client.query(`drop database ${base}`);
    return client.query(`create database ${base} owner postgres`);
  });
  expect(rows).toEqual([]);
  expect(await ensureBase(started)).toBe(base);
  const copy = "copy_of_base";
  await cloneDatabase(started, base, copy);
  const guarded = "select count(*)::int as count from pg_event_trigger where evtname = 'homebase_keys'";
  expect((await started.admin((client) => client.query(guarded), copy)).rows).toEqual([{ count: 1 }]);
  const { rows: kept } = await started.admin((client) =>
    client.query("select 1 from pg_database where datname ~ $1", [`^${base}_[0-9]+$`]),
  );
  expect(kept).toHaveLength(1);
  await started.stop();
}, 180_000);

test("the superuser does not work in a database that has taken the place of the project's", async () => {
  const started = await Cluster.start({ projectFolder: projectFolder(), port: undefined, durable: true });
  const project = new ProjectDatabase(started, loadConfig({ from: process.cwd() }));
  await project.ensure();
  await started.release(DATABASE);
  await ensureBase(started);
  const swap = new pg.Client(started.database("template1").connection("postgres"));
  await swap.connect();
  await swap.query("alter database postgres rename to aside");
  await swap.query("create database postgres template template0");
  await swap.end();
  await started.release("template1");
  const refused = { name: "Error", message: expect.stringContaining("was not made by Homebase") };
  await expect(project.ensure()).rejects.toThrow("made by a development version");
  await expect(started.database(DATABASE).query("supabase_admin", "select 1")).rejects.toMatchObject(refused);
  await started.admin(async (client) => {
    await client.query("alter database postgres rename to other");
    await client.query("alter database aside rename to postgres");
  });
  expect(await project.ensure()).toMatchObject({ known: true });
  await started.stop();
}, 180_000);

test("what is copied to make databases is closed to everybody", async () => {
  const started = await Cluster.start({ projectFolder: projectFolder(), port: undefined, durable: true });
  const base = await ensureBase(started);
  for (const role of ["postgres", "supabase_admin"] as const) {
    const client = new pg.Client(started.database(base).connection(role));
    await expect(client.connect()).rejects.toThrow("is not currently accepting connections");
  }
  await started.stop();
}, 180_000);

test("Vault's key lies outside of the data folder, and a part of it stores nothing", async () => {
  const started = await Cluster.start({ projectFolder: projectFolder(), port: undefined, durable: true });
  try {
    const base = "copy_of_base";
    await cloneDatabase(started, await ensureBase(started), base);
    const store = (name: string) =>
      started.admin((client) => client.query("select vault.create_secret('hush', $1)", [name]), base);
    await store("whole");
    const inside = readdirSync(started.folder, { recursive: true, encoding: "utf8" });
    expect(inside.filter((path) => /vault/.test(path))).toEqual([]);
    const key = vaultKeyPath(started.folder);
    truncateSync(key, 31);
    await expect(store("damaged")).rejects.toThrow("The key of Vault is damaged.");
    rmSync(key);
    await expect(store("missing")).rejects.toThrow("The key of Vault is missing.");
    expect(await lookAtVaultKey(started, base)).toBe(1);
    expect(existsSync(key)).toBe(false);
  } finally {
    await started.stop();
  }
}, 180_000);
