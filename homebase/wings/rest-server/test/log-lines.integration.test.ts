/**
 * What `homebase rest` writes, which scripts read as PostgREST's (test/io: test_log.py, test_reloading.py,
 * test_connection.py; Logger.hs).
 */
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { leasePorts } from "../../../test/port-lease.ts";
import { apacheTime } from "../log-lines.ts";
import { addressIn, get, standaloneRuns } from "./standalone-run.ts";

const PORT = 54_320 + leasePorts();
const SECRET = "reallyreallyreallyreallyverysafe";
const run = standaloneRuns(
  PORT,
  `
create role gate login noinherit password 'gate';
create role visitor nologin;
create role author nologin;
grant visitor, author to gate;
create schema api;
grant usage on schema api to visitor, author, gate;
create table api.things (id int primary key);
grant select on api.things to visitor, author;
create function api.slow(seconds float) returns text language sql stable as $$select pg_sleep(seconds)::text$$;
create function api.late() returns void language sql set statement_timeout = '50ms' as 'select pg_sleep(20)';
create function api.recursive() returns void language plpgsql as
  $$ begin raise exception E'two\\nlines' using errcode = '42P17'; end $$;
`,
);
const { start, ended, folders } = run;
const VISITOR = { PGRST_DB_ANON_ROLE: "visitor", PGRST_JWT_SECRET: SECRET };
const sql = (text: string) => run.cluster.admin((client) => client.query(text));
const AGENT = { "user-agent": "tester/1" };
const TIME = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}: /;

it("tells of its start, line by line, at every level", async () => {
  const { errors, out } = await start({
    ...VISITOR,
    PGRST_LOG_LEVEL: "crit",
    PGRST_ADMIN_SERVER_PORT: "0",
  });
  await expect.poll(errors).toContain("Listener connected to");
  const lines = errors().trimEnd().split("\n");
  for (const line of lines) expect(line).toMatch(TIME);
  const told = lines.map((line) => line.replace(TIME, ""));
  const version = (await get(addressIn(errors()) ?? "")).headers.get("server")?.split("/")[1];
  expect(told[0]).toContain(`Starting PostgREST ${version}...`);
  for (const wanted of [
    /^Admin server listening on 127\.0\.0\.1:\d+$/,
    /^Successfully connected to PostgreSQL 17\.\d+ on /,
    /^Connection Pool initialized with a maximum size of 10 connections$/,
    /^Config reloaded$/,
    /^Schema cache queried in [\d.]+ milliseconds$/,
    /^Schema cache loaded 1 Relations, 0 Relationships, 3 Functions, 0 Domain Representations, \d+ Media Type Handlers$/,
    /^Schema cache loaded in [\d.]+ milliseconds$/,
    new RegExp(
      `^Listener connected to PostgreSQL .* on "127\\.0\\.0\\.1:${PORT}" and listening for database notifications on the "pgrst" channel$`,
    ),
    /^API server listening on 127\.0\.0\.1:\d+$/,
  ]) {
    expect(
      told.filter((line) => wanted.test(line)),
      String(wanted),
    ).toHaveLength(1);
  }
  expect(out()).toBe("");
});

it.each([
  ["crit", []],
  ["error", [500]],
  ["warn", [500, 404]],
  ["info", [500, 404, 200]],
  ["debug", [500, 404, 200]],
] as const)("writes requests of level %s in Apache's combined format", async (level, statuses) => {
  const { child, url, out } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_LOG_LEVEL: level });
  const token = await new SignJWT({ role: "author" })
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.from(SECRET));
  const asked = [
    (await get(`${url}/things?a=b`, { ...AGENT, authorization: `Bearer ${token}` })).status,
    (await get(`${url}/unknown`, { ...AGENT, referer: 'http://a.test/"x' })).status,
    (await get(`${url}/things`, AGENT)).status,
  ];
  expect(asked).toEqual([500, 404, 200]);
  const line = (user: string, request: string, status: number, referer: string) =>
    new RegExp(
      `^127\\.0\\.0\\.1 - ${user} \\[[^\\]]+\\] "${request} HTTP/1\\.1" ${status} \\d+ "${referer}" "tester/1"$`,
    );
  const all = [
    line("-", "GET /things\\?a=b", 500, ""),
    line("visitor", "GET /unknown", 404, 'http://a\\.test/\\\\"x'),
    line("visitor", "GET /things", 200, ""),
  ].slice(0, statuses.length);
  child.kill("SIGTERM");
  await once(child, "close");
  const lines = out().split("\n").slice(0, -1);
  expect(lines).toHaveLength(all.length);
  for (const [at, wanted] of all.entries()) expect(lines[at]).toMatch(wanted);
});

it("logs requests by level, and their statements where asked", async () => {
  const { url, out, errors } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_LOG_LEVEL: "warn",
    PGRST_LOG_QUERY: "true",
  });
  await get(`${url}/things?id=eq.1`);
  await get(`${url}/things?nothing=eq.1`);
  await expect.poll(out).toContain('"GET /things?nothing=eq.1 HTTP/1.1" 400');
  expect(errors()).toContain('"nothing" = $1');
  expect(errors()).not.toContain('"id" = $1');
  expect(out()).not.toContain("GET /things?id");
});

it("writes the token's role, no address on a socket, and not a preflight", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-rest-"));
  folders.push(folder);
  const socketPath = join(folder, "rest.sock");
  const { out, errors } = await start({
    ...VISITOR,
    PGRST_LOG_LEVEL: "info",
    PGRST_SERVER_UNIX_SOCKET: socketPath,
  });
  expect(errors()).toContain(`API server listening on ${socketPath}\n`);
  const token = await new SignJWT({ role: "author" })
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.from(SECRET));
  const over = (method: string, headers: Record<string, string>) =>
    new Promise<void>((resolve, reject) => {
      request({ socketPath, path: "/things", method, headers }, (answer) => {
        answer.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  await over("OPTIONS", { origin: "http://a.test", "access-control-request-method": "POST" });
  await over("HEAD", { authorization: `Bearer ${token}` });
  await expect.poll(out).toMatch(/^- - author \[.+\] "HEAD \/things HTTP\/1\.1" 200 - "" ""\n$/);
});

it("writes failures of the database once, in one line, where the level has errors", async () => {
  const { url, out, errors } = await start({ ...VISITOR, PGRST_LOG_QUERY: "true" });
  expect((await get(`${url}/rpc/late`)).status).toBe(500);
  expect((await get(`${url}/rpc/recursive`)).status).toBe(500);
  await expect.poll(out).toContain('"GET /rpc/recursive HTTP/1.1" 500');
  const lines = errors().split("\n");
  const failures = lines.filter((line) => line.includes('{"code":'));
  expect(failures.map((line) => line.replace(TIME, ""))).toEqual([
    '{"code":"57014","details":null,"hint":null,"message":"canceling statement due to statement timeout"}',
    String.raw`{"code":"42P17","details":null,"hint":null,"message":"two\nlines"}`,
  ]);
  // The statement is one line too.
  expect(lines.filter((line) => line.includes("recursive"))).toHaveLength(1);
  const quiet = await start({ ...VISITOR, PGRST_LOG_LEVEL: "crit" });
  expect((await get(`${quiet.url}/rpc/late`)).status).toBe(500);
  quiet.child.kill("SIGTERM");
  await once(quiet.child, "exit");
  expect(quiet.errors()).not.toContain('{"code"');
});

it("tells of an exhausted pool once in a while, and of each request", async () => {
  const { url, out, errors } = await start({
    ...VISITOR,
    PGRST_DB_POOL: "1",
    PGRST_DB_POOL_ACQUISITION_TIMEOUT: "1",
  });
  const slow = get(`${url}/rpc/slow?seconds=4`);
  await expect
    .poll(
      async () =>
        (await sql("select from pg_stat_activity where query like '%slow%' and state = 'active'")).rowCount,
    )
    .toBeGreaterThan(0);
  const answers = await Promise.all([1, 2, 3].map(() => get(`${url}/things`)));
  expect(answers.map(({ status }) => status)).toEqual([504, 504, 504]);
  await expect.poll(() => out().match(/" 504 /g)).toHaveLength(3);
  expect(errors().match(/Timed out acquiring connection from connection pool\./g)).toHaveLength(1);
  await slow;
});

it("tells of reloads, of what is wrong with the settings, and of its end", async () => {
  const { child, errors } = await start({ ...VISITOR, PGRST_LOG_LEVEL: "crit" });
  const times = (text: string) => errors().split(text).length - 1;
  await expect.poll(errors).toContain("Listener connected to");
  const loads = times("Schema cache loaded in");
  await sql("notify pgrst, 'something else'; notify pgrst, 'reload schema'");
  await expect.poll(() => times("Schema cache loaded in")).toBe(loads + 1);
  expect(times('Received a schema cache reload message on the "pgrst" channel')).toBe(1);
  const reloads = times("Config reloaded");
  try {
    await sql(`alter role gate set pgrst.jwt_role_claim_key = 'role.other'; notify pgrst, 'reload config'`);
    await expect.poll(errors).toContain("failed to parse role-claim-key value (role.other)");
    expect(times('Received a config reload message on the "pgrst" channel')).toBe(1);
    expect(times("Config reloaded")).toBe(reloads + 1);
  } finally {
    await sql("alter role gate reset pgrst.jwt_role_claim_key");
  }
  child.kill("SIGTERM");
  await once(child, "exit");
  expect(errors()).toContain("Received termination unix signal SIGTERM\n");
});

it("tells that a file cannot be read again, and that the settings stay", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-rest-"));
  folders.push(folder);
  const file = join(folder, "rest.conf");
  writeFileSync(file, 'log-level = "crit"\n');
  const { child, url, out, errors } = await start(VISITOR, [file]);
  writeFileSync(file, 'log-level = "loud"\n');
  child.kill("SIGUSR2");
  await expect
    .poll(errors)
    .toContain("Failed reloading config: log-level must be one of crit, error, warn, info, debug");
  writeFileSync(file, 'log-level = "info"\n');
  child.kill("SIGUSR2");
  await expect
    .poll(async () => {
      await get(`${url}/things`);
      return out();
    })
    .toContain('"GET /things HTTP/1.1" 200');
});

it("tells why it cannot reach, or read, its database", async () => {
  const away = { PGRST_DB_URI: "postgresql://gate@127.0.0.1:55219/none" };
  const gone = await start({ ...VISITOR, ...away });
  await expect.poll(gone.errors).toContain("Retrying listening for database notifications in");
  for (const line of [
    'Failed to query the PostgreSQL version. {"code":"PGRST000"',
    'Failed listening for database notifications on the "pgrst" channel. connect ECONNREFUSED',
  ]) {
    expect(gone.errors()).toContain(line);
  }
  const refused = await ended({ PGRST_DB_URI: `postgresql://gate:wrong@127.0.0.1:${PORT}/homebase` });
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(
    /Failed to establish a connection\. \{"code":"PGRST000".*password authentication failed/,
  );
  await sql("alter role gate set statement_timeout = 1");
  try {
    const { text } = run.spawn({ ...VISITOR, PGRST_DB_SCHEMAS: "api", PGRST_DB_EXTRA_SEARCH_PATH: "api" });
    await expect
      .poll(() => text.errors, { timeout: 15_000 })
      .toMatch(
        /Failed to load the schema cache using db-schemas=api and db-extra-search-path=api\. \{"code":"57014"/,
      );
  } finally {
    await sql("alter role gate reset statement_timeout");
  }
});

it("writes times as strftime's %d/%b/%Y:%T %z", () => {
  expect(apacheTime(new Date(2026, 0, 2, 3, 4, 5))).toMatch(/^02\/Jan\/2026:03:04:05 [+-]\d{4}$/);
});
