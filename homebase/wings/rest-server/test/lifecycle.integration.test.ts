/**
 * Start, reload and shutdown of `homebase rest`, and its connection string; each test names PostgREST's
 * source.
 */

import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import pg from "pg";
import { expect, it } from "vitest";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { leasePorts } from "../../../test/port-lease.ts";
import { addressIn, get, type Run, standaloneRuns } from "./standalone-run.ts";

const PORT = 54_320 + leasePorts();
const SCHEMA = `
create role gate login noinherit password 'gate';
create role visitor nologin;
grant visitor to gate;
create schema api;
grant usage on schema api to visitor, gate;
create table api.things (id int primary key);
insert into api.things select generate_series(1, 5);
grant select on api.things to visitor;
create function api.setting(name text) returns text language sql stable as 'select current_setting(name, true)';
create function api.slow(seconds float) returns text language sql stable as $$select pg_sleep(seconds)::text || 'done'$$;
create function api.broken() returns void language plpgsql as $$begin raise 'no settings today'; end$$;
create function api.gated() returns void language sql as 'select pg_advisory_xact_lock(7)';
`;
const run = standaloneRuns(PORT, SCHEMA);
const { start, ended, folders } = run;
const VISITOR = { PGRST_DB_ANON_ROLE: "visitor" };
const SECRET = "reallyreallyreallyreallyverysafe";
const sql = (text: string) => run.cluster.admin((client) => client.query(text));

function fileWith(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-rest-"));
  folders.push(folder);
  const path = join(folder, "file");
  writeFileSync(path, content);
  return path;
}

const running = (text: string) => async () =>
  (
    await sql(
      `select from pg_stat_activity where state = 'active' and query like '%${text}%' and pid <> pg_backend_pid()`,
    )
  ).rowCount;

const loads = async ({ adminUrl }: Pick<Run, "adminUrl">) => {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^pgrst_schema_cache_loads_total\{status="SUCCESS"\} (\S+)$/m.exec(metrics)?.[1]);
};

// App.hs, run: closing the socket ends the main loop of Warp, which waits for requests that it has begun.
it("lets a request in flight finish on SIGTERM, and takes no new one", async () => {
  const { url, child } = await start(VISITOR);
  const exit = once(child, "exit");
  const slow = fetch(`${url}/rpc/slow?seconds=1.5`);
  await expect.poll(running("slow")).toBe(1);
  child.kill("SIGTERM");
  await expect.poll(() => fetch(`${url}/things`).catch(() => "refused")).toBe("refused");
  expect(await (await slow).json()).toBe("done");
  expect(await exit).toEqual([0, null]);
});

it("lets it go on for no longer than it is told to", async () => {
  const { url, child } = await start({ ...VISITOR, PGRST_SERVER_SHUTDOWN_TIMEOUT: "0" });
  const exit = once(child, "exit");
  const slow = fetch(`${url}/rpc/slow?seconds=60`).catch(() => "cut off");
  await expect.poll(running("slow")).toBe(1);
  child.kill("SIGTERM");
  expect(await slow).toBe("cut off");
  expect(await exit).toEqual([0, null]);
});

// AppState/Reload.hs, readInDbConfig: "We just report the error and continue".
it("serves without the database's settings when they cannot be read, and says so", async () => {
  const { url, errors } = await start({ ...VISITOR, PGRST_DB_PRE_CONFIG: "api.broken" });
  expect((await get(`${url}/things`)).status).toBe(200);
  expect(errors()).toContain('Failed to query database settings for the config parameters. {"code":"P0001"');
});

// PostgreSQL documentation, "Connection URIs" and "Parameter Key Words".
it.each([
  ["", "homebase rest"],
  ["?fallback_application_name=second", "second"],
  ["?application_name=first&fallback_application_name=second", "first"],
])("names its sessions as the address %j says", async (query, name) => {
  const { url } = await start({
    ...VISITOR,
    PGRST_DB_URI: `postgresql://gate:gate@127.0.0.1:${PORT}/homebase${query}`,
  });
  expect((await get(`${url}/rpc/setting?name=application_name`)).json).toBe(name);
});

it("names its sessions as PGAPPNAME says where the address has no name, its listener too", async () => {
  const variables = { ...VISITOR, PGAPPNAME: "of the environment" };
  const { url } = await start(variables);
  expect((await get(`${url}/rpc/setting?name=application_name`)).json).toBe("of the environment");
  const named = "select query from pg_stat_activity where application_name = 'of the environment'";
  await expect
    .poll(async () => (await sql(named)).rows, { timeout: 15_000 })
    .toContainEqual({ query: expect.not.stringContaining("pgrst_call") });
  const address = `postgresql://gate:gate@127.0.0.1:${PORT}/homebase?application_name=first`;
  const other = await start({ ...variables, PGRST_DB_URI: address });
  expect((await get(`${other.url}/rpc/setting?name=application_name`)).json).toBe("first");
});

it("takes host, port, options and other parameters from a URI's query", async () => {
  const { url } = await start({
    ...VISITOR,
    PGRST_DB_URI:
      `postgresql:///homebase?host=127.0.0.1&port=${PORT}&user=gate&password=gate&connect_timeout=5&sslmode=disable` +
      `&keepalives=1&options=${encodeURIComponent("-c app.colour=red")}`,
  });
  expect((await get(`${url}/rpc/setting?name=app.colour`)).json).toBe("red");
  const refused = await ended({ PGRST_DB_URI: "postgresql:///homebase?colour=red" });
  expect([refused.code, refused.errors]).toEqual([1, expect.stringContaining("colour=")]);
});

// Client.hs.
it("tells with --ready whether a running service is ready", async () => {
  const none = await ended({}, ["--ready"]);
  expect([none.code, none.errors]).toEqual([
    1,
    "ERROR: Admin server is not running. Please check admin-server-port config.\n",
  ]);
  const anywhere = await ended({ PGRST_SERVER_HOST: "*4", PGRST_ADMIN_SERVER_PORT: "3001" }, ["--ready"]);
  expect([anywhere.code, anywhere.errors]).toEqual([1, expect.stringContaining('configured as "*4"')]);
  const service = await start({ ...VISITOR, PGRST_ADMIN_SERVER_PORT: "0" });
  await expect.poll(async () => (await fetch(`${service.adminUrl}/ready`)).status).toBe(200);
  const { port } = new URL(service.adminUrl ?? "");
  const url = `http://127.0.0.1:${port}/ready`;
  expect(await ended({ PGRST_ADMIN_SERVER_PORT: port }, ["--ready"])).toEqual({
    code: 0,
    out: `OK: ${url}\n`,
    errors: "",
  });
  service.child.kill("SIGTERM");
  await once(service.child, "exit");
  const gone = await ended({ PGRST_ADMIN_SERVER_PORT: port }, ["--ready"]);
  expect([gone.code, gone.errors]).toEqual([1, `ERROR: connection refused to ${url}\n`]);
});

// App.hs, installSignalHandlers: USR1 is the schema cache's loader, USR2 reads the configuration.
it("reads the schema again on SIGUSR1 and the settings alone on SIGUSR2", async () => {
  const file = fileWith("db-max-rows = 2\n");
  const service = await start({ ...VISITOR, PGRST_ADMIN_SERVER_PORT: "0" }, [file]);
  const shown = async () => ((await get(`${service.url}/things`)).json as unknown[]).length;
  const before = await loads(service);
  writeFileSync(file, "db-max-rows = 3\n");
  service.child.kill("SIGUSR2");
  await expect.poll(shown).toBe(3);
  expect(await loads(service)).toBe(before);
  await sql("notify pgrst, 'reload config'");
  writeFileSync(file, "db-max-rows = 4\n");
  await sql("notify pgrst, 'reload config'");
  await expect.poll(shown).toBe(4);
  expect(await loads(service)).toBe(before);
  service.child.kill("SIGUSR1");
  await expect.poll(() => loads(service)).toBe(before + 1);
});

// AppState/Reload.hs, qInDbConfig: the loader reads the configuration only where the database gives some.
it("does not read the file again on SIGUSR1 where the database gives no settings", async () => {
  const file = fileWith("db-max-rows = 2\ndb-config = false\n");
  const service = await start({ ...VISITOR, PGRST_ADMIN_SERVER_PORT: "0" }, [file]);
  const before = await loads(service);
  writeFileSync(file, "db-max-rows = 3\ndb-config = false\n");
  service.child.kill("SIGUSR1");
  await expect.poll(() => loads(service)).toBe(before + 1);
  expect((await get(`${service.url}/things`)).json).toHaveLength(2);
});

// test/io/test_io.py, "read secret from file" and "from stdin"; Config.hs, readSecretFile.
it.each([
  ["of bytes that are no text", Buffer.from(Array.from({ length: 40 }, (_, at) => 0xc0 + at)), ""],
  ["whose line end is none of it", Buffer.from(SECRET), "\n"],
])("takes a secret %s from a file and from its input", async (_, secret, end) => {
  const token = await new SignJWT({ role: "visitor" }).setProtectedHeader({ alg: "HS256" }).sign(secret);
  const content = Buffer.concat([secret, Buffer.from(end)]);
  const status = async (url: string) =>
    (await get(`${url}/things`, { authorization: `Bearer ${token}` })).status;
  const { url } = await start({ PGRST_JWT_SECRET: `@${fileWith(content)}` });
  expect(await status(url)).toBe(200);
  const { text } = run.spawn({ PGRST_JWT_SECRET: "@/dev/stdin" }, [], content);
  await expect.poll(() => addressIn(text.errors), { timeout: 15_000 }).toBeDefined();
  expect(await status(addressIn(text.errors) ?? "")).toBe(200);
});

// AppState/Reload.hs: ExitDBNoRecoveryObs, and killApp when the listener fails.
it("ends without automatic recovery when the database is away, at the start and later", async () => {
  const variables = { ...VISITOR, PGRST_DB_POOL_AUTOMATIC_RECOVERY: "false" };
  const never = await ended({ ...variables, PGRST_DB_URI: "postgresql://gate@127.0.0.1:55219/none" });
  expect([never.code, never.errors]).toEqual([
    1,
    expect.stringContaining("Automatic recovery disabled, exiting."),
  ]);
  const { child, errors } = await start(variables);
  const exit = once(child, "exit");
  await expect.poll(async () => (await sql(LISTENERS)).rowCount).toBe(1);
  await sql(`select pg_terminate_backend(pid) from (${LISTENERS}) l`);
  expect(await exit).toEqual([1, null]);
  expect(errors()).toContain("Automatic recovery disabled, exiting.");
});

// AppState.hs, usePool: 57P01 in a session kills the main thread.
it("ends without automatic recovery when a request's connection is terminated", async () => {
  const { url, child, errors } = await start({ ...VISITOR, PGRST_DB_POOL_AUTOMATIC_RECOVERY: "false" });
  const exit = once(child, "exit");
  const asked = fetch(`${url}/rpc/slow?seconds=20`).catch(() => undefined);
  await expect.poll(running("slow")).toBe(1);
  await sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like '%slow%' and state = 'active' and pid <> pg_backend_pid()",
  );
  await asked;
  expect(await exit).toEqual([1, null]);
  expect(errors()).toContain("Automatic recovery disabled, exiting.");
});

it("answers TRACE like any unknown method, and gives status 416 upstream's reason phrase", async () => {
  const { url } = await start(VISITOR);
  const status = (method: string, path: string, head: string[] = []) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          [`${method} ${path} HTTP/1.1`, "Host: x", "Connection: close", ...head, "", ""].join("\r\n"),
        ),
      );
      let text = "";
      socket.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      socket.on("end", () => resolve(text)).on("error", reject);
    });
  const trace = await status("TRACE", "/things");
  expect(trace).toMatch(/^HTTP\/1.1 405 /);
  expect(trace).toContain('"code":"PGRST117"');
  const phrase = /^HTTP\/1.1 416 Requested Range Not Satisfiable\r\n/;
  expect(await status("GET", "/things?limit=-1")).toMatch(phrase);
  expect(await status("GET", "/things?offset=100", ["Prefer: count=exact"])).toMatch(phrase);
});

const LISTENERS = "select pid from pg_stat_activity where application_name = 'homebase listener'";

// CLI.hs, CmdDumpConfig: a failing readInDbConfig is reported, and what is known is printed.
it("prints its settings although the database is not there", async () => {
  const uri = "postgresql://gate@127.0.0.1:55219/none";
  const { code, out, errors } = await ended({ PGRST_DB_URI: uri }, ["--dump-config"]);
  expect([code, out]).toEqual([0, expect.stringContaining(`db-uri = "${uri}"\n`)]);
  expect(errors).toContain("Failed to query database settings for the config parameters.");
});

// App.hs, run: waitForSchemaCacheInit comes before the main socket; Admin.hs says what holds meanwhile.
it("listens only when the schema is read, and answers on its admin port before", async () => {
  const client = new pg.Client(`postgresql://gate:gate@127.0.0.1:${PORT}/homebase`);
  client.on("error", () => {});
  await client.connect();
  await client.query("select pg_advisory_lock(7)");
  const { text } = run.spawn({
    ...VISITOR,
    PGRST_DB_PRE_CONFIG: "api.gated",
    PGRST_ADMIN_SERVER_PORT: "0",
  });
  const adminUrl = () => addressIn(text.errors, "Admin");
  await expect.poll(adminUrl, { timeout: 15_000 }).toBeDefined();
  const status = async (path: string) => (await fetch(`${adminUrl()}${path}`)).status;
  await expect
    .poll(async () => (await sql("select from pg_locks where not granted and objid = 7")).rowCount)
    .toBe(1);
  expect([await status("/live"), await status("/ready"), addressIn(text.errors)]).toEqual([
    500,
    503,
    undefined,
  ]);
  await client.end();
  await expect.poll(() => addressIn(text.errors)).toBeDefined();
  expect((await get(`${addressIn(text.errors)}/things`)).status).toBe(200);
  await expect.poll(async () => [await status("/live"), await status("/ready")]).toEqual([200, 200]);
});

// PostgREST documentation, "Read Replicas"; Config.hs, addTargetSessionAttrs.
it("reads from a replica and hears of changes from its primary, and from the next host when one is away", async () => {
  const replica = await Cluster.start({ projectFolder: process.cwd(), port: PORT + 1, durable: false });
  try {
    // libpq's definition of a replica: a server whose sessions are read-only.
    await replica.admin((client) =>
      client.query(
        `${SCHEMA} insert into api.things values (6); alter role gate set default_transaction_read_only = on`,
      ),
    );
    const hosts = `127.0.0.1:55219,127.0.0.1:${PORT + 1},127.0.0.1:${PORT}`;
    const service = await start({
      ...VISITOR,
      PGRST_ADMIN_SERVER_PORT: "0",
      PGRST_DB_URI: `postgresql://gate:gate@${hosts}/homebase?target_session_attrs=read-only`,
    });
    expect((await get(`${service.url}/things`)).json).toHaveLength(6);
    await expect.poll(async () => (await fetch(`${service.adminUrl}/ready`)).status).toBe(200);
    const before = await loads(service);
    await sql("notify pgrst, 'reload schema'");
    await expect.poll(() => loads(service)).toBe(before + 1);
  } finally {
    await replica.stop();
  }
});

// PostgREST documentation, "server-reuseport"; App.hs, waitForSchemaCacheLoaded.
it("is replaced by another process on its port without failing a request", async () => {
  const first = await start({ ...VISITOR, PGRST_SERVER_REUSEPORT: "true" });
  const variables = {
    ...VISITOR,
    PGRST_SERVER_REUSEPORT: "true",
    PGRST_SERVER_PORT: new URL(first.url).port,
  };
  const failures: unknown[] = [];
  let served = 0;
  let over = false;
  const load = Array.from({ length: 4 }, async () => {
    while (!over) {
      // Separate connections, as behind a proxy that opens new ones.
      await fetch(`${first.url}/things`, { headers: { connection: "close" } }).then(
        async (response) => {
          if (response.status !== 200) failures.push(response.status);
          await response.arrayBuffer();
          served += 1;
        },
        (error: unknown) => failures.push(error),
      );
    }
  });
  await expect.poll(() => served).toBeGreaterThan(20);
  const second = await start(variables);
  expect(second.url).toBe(first.url);
  const before = served;
  await expect.poll(() => served).toBeGreaterThan(before + 50);
  over = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
  first.child.kill("SIGTERM");
  await once(first.child, "exit");
  expect((await get(`${second.url}/things`)).status).toBe(200);
});

// test/io/test_big_schema.py.
it("answers in a schema of a thousand tables, what does not exist too", async () => {
  await sql(`create schema big; grant usage on schema big to visitor;
    do $$ begin for i in 1..1000 loop
      execute format('create table big.t%s (id int primary key, parent int references big.t%s, name text)', i, greatest(i - 1, 1));
    end loop; end $$;
    grant select on all tables in schema big to visitor`);
  const { url } = await start({ ...VISITOR, PGRST_DB_SCHEMAS: "big" });
  expect((await get(`${url}/t900?select=id,t899(name)`)).status).toBe(200);
  expect(await get(`${url}/unknown?select=unknown-rel(*)`)).toMatchObject({
    status: 404,
    json: { code: "PGRST205", hint: null },
  });
  expect(await get(`${url}/t900?select=unknown-rel(*)`)).toMatchObject({
    status: 400,
    json: { code: "PGRST200" },
  });
  const { json } = await get(`${url}/`);
  expect(Object.keys((json as { definitions: object }).definitions)).toHaveLength(1000);
});
