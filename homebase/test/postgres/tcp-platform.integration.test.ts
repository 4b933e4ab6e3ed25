/** A cluster without sockets, signals and a shell, as Windows would need it: its processes, its logins, a whole Backend. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../../src/core/process-alive.ts";
import { freePort } from "../../src/developer/ports.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { HTTP_ROLE, READER_ROLE, REPLICATION_ROLE, SUPERUSER } from "../../src/postgres/guarded-logins.ts";
import { createBackend, startTestCluster, type TestBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { projectWith } from "../background/project.ts";
import { removeServerFolder } from "../cli/project.ts";
import { ChangeRig, on } from "../realtime/change-rig.ts";
import { sourcesWith } from "../sources.ts";
import { tcpPlatform } from "./tcp-platform.ts";

const SOURCE = join(import.meta.dirname, "..", "..", "src");

describe("its processes", () => {
  let project: string;
  const clusters: Cluster[] = [];
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "homebase-tcp-"));
    chmodSync(project, 0o755);
  });
  afterEach(async () => {
    for (const cluster of clusters.splice(0)) await cluster.stop();
  });
  afterAll(() => {
    removeServerFolder(project);
    rmSync(project, { recursive: true, force: true });
  });

  async function start(): Promise<Cluster> {
    const cluster = await Cluster.start({
      projectFolder: project,
      port: await freePort(),
      durable: true,
      platform: tcpPlatform,
    });
    clusters.push(cluster);
    return cluster;
  }

  const answer = (cluster: Cluster, sql: string) =>
    cluster.admin(
      async (client) => (await client.query<{ one: unknown }>(`select (${sql}) as one`)).rows[0]?.one,
    );
  const serverOf = ({ folder }: { folder: string }) =>
    Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0]);

  test("a server starts without a socket, stops, and starts again on its data", async () => {
    const first = await start();
    expect(first.created).toBe(true);
    expect(
      await answer(first, "select setting from pg_settings where name = 'unix_socket_directories'"),
    ).toBe("");
    expect(await answer(first, "inet_client_addr()::text")).toBe("127.0.0.1/32");
    expect(readdirSync(first.address.socketFolder).filter((name) => name.startsWith(".s."))).toEqual([]);
    await first.admin((client) => client.query("create table public.kept as select 7 as value"));
    await first.seal();
    const pid = serverOf(first);
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(first.folder, "postmaster.pid"))).toBe(false);
    const second = await start();
    expect(second.created).toBe(false);
    expect(await answer(second, "select value from public.kept")).toBe(7);
  });

  test("the stack's own logins need this cluster's passwords", async () => {
    const cluster = await start();
    const connect = async (user: string, password: string) => {
      const client = new pg.Client({
        host: "127.0.0.1",
        port: cluster.port,
        database: "homebase",
        user,
        password,
      });
      client.on("error", () => {});
      try {
        await client.connect();
        return "connected";
      } catch (error) {
        return (error as Error).message;
      } finally {
        await client.end().catch(() => undefined);
      }
    };
    for (const role of [SUPERUSER, REPLICATION_ROLE, HTTP_ROLE, READER_ROLE])
      for (const password of ["postgres", ""]) expect(await connect(role, password)).toMatch(/password/);
    expect(tcpPlatform.rules).not.toMatch(/trust|local/);
  });

  test("a cluster whose superuser has another password gets this one's", async () => {
    const first = await start();
    await first.admin((client) => client.query(`alter role ${SUPERUSER} password 'postgres'`));
    await first.stop();
    expect(await answer(await start(), "session_user::text")).toBe(SUPERUSER);
  });

  test("a server that was killed is started again", async () => {
    const cluster = await start();
    const reasons: string[] = [];
    cluster.onUnexpectedExit((reason) => reasons.push(reason));
    process.kill(serverOf(cluster), "SIGKILL");
    await expect.poll(() => reasons).toHaveLength(1);
    await cluster.restart();
    expect(await answer(cluster, "1")).toBe(1);
  });

  test("a server ends with the process that started it, and a killed watcher's is stopped by the next start", async () => {
    const script = `
      const { Cluster } = await import(${JSON.stringify(join(SOURCE, "postgres/cluster/cluster.ts"))});
      const { tcpPlatform } = await import(${JSON.stringify(join(import.meta.dirname, "tcp-platform.ts"))});
      const options = { projectFolder: ${JSON.stringify(project)}, port: ${await freePort()}, durable: true };
      const { pid, folder } = await Cluster.start({ ...options, platform: tcpPlatform });
      console.log(JSON.stringify({ pid, folder }));
      setInterval(() => {}, 1000);`;
    const begin = async () => {
      const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const { pid, folder } = JSON.parse(String((await once(parent.stdout, "data"))[0])) as {
        pid: number;
        folder: string;
      };
      return { parent, watcher: pid, server: serverOf({ folder }) };
    };
    const first = await begin();
    first.parent.kill("SIGKILL");
    await expect.poll(() => [first.watcher, first.server].filter(isAlive)).toEqual([]);
    const second = await begin();
    process.kill(second.watcher, "SIGKILL");
    second.parent.kill("SIGKILL");
    expect(isAlive(second.server)).toBe(true);
    await start();
    expect(isAlive(second.server)).toBe(false);
  });
});

test("the source has one platform, and takes another one only as an option of the tests' own cluster", () => {
  expect(sourcesWith(/: ServerPlatform = \{|\btcp: true,?$/m)).toEqual(["postgres/cluster/platform.ts"]);
  expect(sourcesWith(/Cluster\.start\([^)]*\bplatform\b/)).toEqual(["testing/shared-cluster.ts"]);
  expect(sourcesWith(/\bstartTestCluster\([^)]*,\s/)).toEqual(["testing/shared-cluster.ts"]);
});

describe("a Backend on such a cluster", () => {
  beforeAll(async () => {
    const cluster = await startTestCluster(process.cwd(), tcpPlatform);
    return () => cluster.stop();
  });
  let backend: TestBackend;
  beforeAll(async () => {
    const folder = projectWith("[storage.buckets.pictures]\npublic = true\n", {
      "20260101000000_notes.sql": `
        create extension pg_cron;
        create extension http with schema extensions;
        create role reporter login;
        grant usage on schema cron to reporter;
        create table public.notes (id int primary key generated always as identity, owner uuid default auth.uid(), body text);
        alter table public.notes enable row level security;
        create policy own on public.notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
        alter publication supabase_realtime add table public.notes;`,
      "20260101000001_ticks.sql": `
        create table public.ticks (by text default current_user);
        grant insert on public.ticks to reporter;`,
    });
    writeFileSync(join(folder, "supabase", "seed.sql"), "insert into public.notes (body) values ('seeded')");
    backend = await createBackend({ projectFolder: folder });
  });
  afterAll(() => backend?.drop());

  test("its migrations and seed are applied", async () => {
    expect((await testCluster("")).address.tcp).toBe(true);
    expect(await backend.sql("select body from public.notes")).toEqual([{ body: "seeded" }]);
    expect(
      await backend.sql("select count(*)::int as count from supabase_migrations.schema_migrations"),
    ).toEqual([{ count: 2 }]);
  });

  test("Auth, REST, Storage and Realtime answer", async () => {
    const client = createClient(backend.url, backend.publishableKey);
    const { data, error } = await client.auth.signUp({ email: "ana@example.com", password: "correct horse" });
    expect(error).toBeNull();
    const listener = await new ChangeRig(backend).listener([on("notes")], {
      access_token: data.session?.access_token,
    });
    expect((await client.from("notes").insert({ body: "hello" })).error).toBeNull();
    expect((await client.from("notes").select("body")).data).toEqual([{ body: "hello" }]);
    await expect.poll(() => listener.changes.map(({ record }) => record?.body)).toEqual(["hello"]);
    await listener.close();
    const service = createClient(backend.url, backend.secretKey);
    expect((await service.storage.from("pictures").upload("a.txt", "hello")).error).toBeNull();
    const { data: stored } = await client.storage.from("pictures").download("a.txt");
    expect(await stored?.text()).toBe("hello");
    await client.removeAllChannels();
  });

  test("scheduled jobs run as their owner", async () => {
    await backend.sql(
      "select cron.schedule('by-postgres', '1 second', 'insert into public.ticks default values')",
    );
    await backend.database.query(
      "supabase_admin",
      "select cron.schedule_in_database('by-reporter', '1 second', 'insert into public.ticks default values', current_database(), 'reporter')",
    );
    await expect
      .poll(async () =>
        (await backend.sql("select distinct by from public.ticks order by 1")).map(({ by }) => by),
      )
      .toEqual(["postgres", "reporter"]);
    await backend.sql("select cron.unschedule('by-postgres')");
  });

  test("a statement's own request comes back to its server", async () => {
    const server = createServer((_request, response) => response.end("thanks"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await backend.sql(`select content from extensions.http_get('http://127.0.0.1:${port}')`)).toEqual([
      { content: "thanks" },
    ]);
    server.close();
  });

  test("every session of it comes with a password over TCP", async () => {
    const { rows } = await backend.database.query<{ name: string; tcp: boolean }>(
      "supabase_admin",
      `select distinct usename::text as name, client_addr is not null as tcp from pg_stat_activity
       where datname = current_database()`,
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter(({ tcp }) => !tcp)).toEqual([]);
  });

  test("a reset puts another database in its place", async () => {
    await backend.reset();
    expect(await backend.sql("select body from public.notes")).toEqual([{ body: "seeded" }]);
  });
});
