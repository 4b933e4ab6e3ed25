/** Nobody gets in without a password: at the socket, before a server listens, after a project has changed passwords. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { ScramClient } from "../../src/postgres/scram-client.ts";
import { SESSIONS } from "../../src/postgres/server-sessions.ts";
import { createBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { removeServerFolder } from "../cli/project.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    removeServerFolder(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-passwords-"));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

async function connect(config: pg.ClientConfig): Promise<string> {
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...config });
  client.on("error", () => {});
  try {
    await client.connect();
    return "connected";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}

test("no rule of a running server lets anybody in without a password", async () => {
  const cluster = await testCluster(process.cwd());
  const { rows } = await cluster.admin((client) =>
    client.query<{ type: string; users: string[]; method: string }>(
      "select type, user_name as users, auth_method as method, error from pg_hba_file_rules order by rule_number",
    ),
  );
  expect(new Set(rows.map(({ method }) => method))).toEqual(new Set(["scram-sha-256", "reject"]));
  const local = rows.filter(({ type }) => type === "local");
  expect(local.at(-1)).toMatchObject({ users: ["all"], method: "reject" });
  const named = local.filter(({ method }) => method !== "reject").flatMap(({ users }) => users);
  expect(named.sort()).toEqual(
    SESSIONS.map(({ role }) => (role === "homebase_job" ? "/^homebase_job_[0-9]+$" : role)).sort(),
  );
});

test("every login of the stack's is refused at the socket without its password, and other roles with theirs", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql("create role outsider login password 'its own'; create role homebase_job_1 login");
  const { host, port, name: database } = backend.database.address;
  for (const { role, password } of SESSIONS) {
    const user = role === "homebase_job" ? "homebase_job_1" : role;
    for (const tried of ["", "wrong", ...(password === "own" ? ["postgres"] : [])])
      expect(await connect({ host, port, database, user, password: tried }), `${role}: ${tried}`).toMatch(
        /password authentication failed|client password must be/,
      );
  }
  const outsider = { port, database, user: "outsider", password: "its own" };
  expect(await connect({ ...outsider, host })).toMatch(/pg_hba.conf rejects connection/);
  expect(await connect({ ...outsider, host: "127.0.0.1" })).toBe("connected");
  expect(await connect({ port, database, host: "127.0.0.1", user: "homebase_job_1", password: "x" })).toMatch(
    /pg_hba.conf rejects connection/,
  );
});

/** Tries to log in as the superuser with passwords, without a pause, from before a server listens. */
class Knocking {
  readonly met = new Set<string>();
  #going = true;
  readonly #done: Promise<void>;

  constructor(socketFolder: string, passwords: readonly string[]) {
    this.#done = this.#knock(socketFolder, passwords);
  }

  async #knock(host: string, passwords: readonly string[]): Promise<void> {
    for (let at = 0; this.#going; at += 1) {
      const password = passwords[at % passwords.length];
      this.met.add(
        await connect({ host, port: 5432, user: "supabase_admin", database: "template1", password }),
      );
    }
  }

  /** When the server has refused it. @returns what it met before, too */
  async refused(): Promise<string[]> {
    await expect.poll(() => [...this.met].some((text) => REFUSED.test(text)), { timeout: 20_000 }).toBe(true);
    this.#going = false;
    await this.#done;
    return [...this.met];
  }
}

const REFUSED = /password authentication failed|client password must be/;

test("a server listens with this cluster's passwords from its first moment: new, moved, and restored from elsewhere", async () => {
  const [here, elsewhere, moved] = [projectFolder(), projectFolder(), projectFolder()];
  const start = (folder: string) => Cluster.start({ projectFolder: folder, port: undefined, durable: true });
  const other = await start(elsewhere);
  const known = await other.admin(async (client) => {
    // Somebody with its rights may have set one that is known.
    await client.query("alter role supabase_admin password 'known'");
    return ["known", "postgres", "", other.address.secret];
  });
  await other.stop();

  const first = await start(here);
  const { socketFolder } = first.address;
  await first.stop();
  rmSync(first.folder, { recursive: true });
  const atNew = new Knocking(socketFolder, ["", "postgres"]);
  const again = await start(here);
  expect(await atNew.refused()).not.toContain("connected");
  await again.stop();

  rmSync(first.folder, { recursive: true });
  execFileSync("cp", ["-a", other.folder, first.folder]);
  const atRestored = new Knocking(socketFolder, known);
  const restored = await start(here);
  expect(restored.created).toBe(false);
  expect(await atRestored.refused()).not.toContain("connected");
  await restored.stop();

  // Moved without its signature it would be refused before.
  const third = await start(moved);
  await third.stop();
  rmSync(third.folder, { recursive: true });
  renameSync(first.folder, third.folder);
  const atMoved = await start(moved);
  const { host, port } = atMoved.database("template1").address;
  const login = { host, port, database: "template1", user: "supabase_admin" };
  expect(
    await connect({
      ...login,
      password: restored.database("template1").connection("supabase_admin").password,
    }),
  ).toMatch(REFUSED);
  await atMoved.stop();
}, 180_000);

test("the files of the data folder have no rule without a password either", async () => {
  const cluster = await Cluster.start({ projectFolder: projectFolder(), port: undefined, durable: true });
  await cluster.stop();
  const rules = readFileSync(join(cluster.folder, "pg_hba.conf"), "utf8").replace(/^#.*$/gm, "");
  expect(rules).not.toMatch(/trust|peer|ident/);
});

test("a project that changes the password of a role of Supabase's, its time or its login, does not lock the stack out", async () => {
  await using backend = await createBackend({ bare: true });
  const { database } = backend;
  await backend.sql("create table public.notes (id int)");
  const admin = (text: string) => database.query("supabase_admin", text);
  for (const role of ["postgres", "authenticator", "supabase_auth_admin", "supabase_storage_admin"] as const)
    for (const change of ["password 'changed'", "password null", "valid until 'yesterday'", "nologin"]) {
      await admin(`alter role ${role} ${change}`);
      expect(await connect({ ...database.connection(role) }), `${role} ${change}`).not.toBe("connected");
      const fresh = await Promise.all([1, 2, 3].map(() => database.transaction(role, opensOne)));
      expect(fresh, `${role} ${change}`).toEqual([role, role, role]);
      expect(await connect({ ...database.connection(role) }), `${role} ${change}`).toBe("connected");
      // The pool keeps its sessions: the next change needs a new one, and so waits until they have ended.
      await admin(
        `select pg_terminate_backend(pid, 20000) from pg_stat_activity where usename = '${role}' and application_name = 'homebase' and datname = current_database()`,
      );
    }
  const named = new Set(backend.logs.map(({ message }) => /^Role (\w+) did not log in/.exec(message)?.[1]));
  for (const role of ["postgres", "authenticator", "supabase_auth_admin", "supabase_storage_admin"])
    expect(named, role).toContain(role);
  // Through pg itself, with the password that DB_URL has.
  expect(await connect({ connectionString: backend.databaseUrl })).toBe("connected");
}, 60_000);

async function opensOne(client: pg.PoolClient): Promise<string> {
  await client.query("select pg_sleep(0.05)");
  return (await client.query<{ name: string }>("select session_user::text as name")).rows[0]?.name ?? "";
}

test("pg calls the quicker login, and a wrong password is refused by it", async () => {
  const inside = pg.Client.prototype as unknown as Record<string, unknown>;
  expect(inside._handleAuthSASLContinue).toBeTypeOf("function");
  const { address } = await testCluster(process.cwd());
  const client = new ScramClient({
    host: "127.0.0.1",
    port: address.port,
    user: "postgres",
    database: "homebase",
    password: "other",
  });
  client.on("error", () => {});
  onTestFinished(() => client.end().catch(() => undefined));
  await expect(client.connect()).rejects.toMatchObject({ code: "28P01" });
});
