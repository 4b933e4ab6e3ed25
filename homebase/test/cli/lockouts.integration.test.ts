/** What a migration or an earlier version has made and would keep everybody out: a start undoes it and says so. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { locksOut } from "../../src/developer/lockouts.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
}, 180_000);

/** Each alone kept the stack from starting. */
const LOCKOUTS = [
  "alter database postgres set local_preload_libraries = 'absent'",
  "alter role postgres set local_preload_libraries = 'absent'",
  "alter role postgres in database postgres set local_preload_libraries = 'absent'",
  "alter database postgres set default_transaction_read_only = 'on'",
  "alter role postgres set default_transaction_read_only = 'on'",
  "alter database postgres set statement_timeout = '1'",
  "alter role postgres set statement_timeout = '1'",
  "alter database postgres set transaction_timeout = '1'",
  "alter database postgres set idle_session_timeout = '1'",
  "alter database postgres set role = 'anon'",
  "alter role postgres set role = 'anon'",
  "alter database postgres connection limit 0",
];
const KEPT = [
  "alter role anon set statement_timeout = '50ms'",
  "alter role postgres set statement_timeout = '5s'",
];

function reset(output: string): string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { kind: string; statements?: string[] })
    .filter(({ kind }) => kind === "locked-out")
    .flatMap(({ statements = [] }) => statements.map((text) => text.replaceAll(`"`, "")))
    .toSorted();
}

test("they are reset after the files that make them, and at a start, and the next migration is applied", async () => {
  const file = "migrations/20260101000000_first.sql";
  one = new Project({ [file]: "create table public.first (id int primary key);\n" });
  await one.startUntil(/"kind":"ready"/, "--json");
  await one.run("stop");
  await one.ended();
  one.write("migrations/20260102000000_out.sql", `${[...LOCKOUTS, ...KEPT].join(";\n")};\n`);
  await one.startUntil(/"kind":"ready"/, "--json");
  // The second of two for one setting replaced the first.
  const made = LOCKOUTS.filter((text) => !/role postgres set statement/.test(text)).toSorted();
  expect(reset(one.output)).toEqual(made);
  const [, , , database = "", role = ""] = LOCKOUTS;
  await one.run("db", "query", `${database}; ${role}`);
  await one.run("stop");
  await one.ended();
  one.write("migrations/20260103000000_next.sql", "create table public.next (id int primary key);\n");
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(reset(one.output).slice(-2)).toEqual([database, role]);
  expect((await one.rest("next")).status).toBe(200);
}, 300_000);

test("roles that were renamed or dropped, and logins that may not connect, are given back by a reset and by a start", async () => {
  const made = [
    "alter role anon rename to visitor",
    "alter role authenticator rename to visitors",
    "alter role authenticator connection limit 0",
    "revoke connect on database postgres from public",
  ];
  one = new Project({
    "migrations/20260101000000_first.sql": `create table public.first (id int primary key);
      grant select on public.first to anon;\n`,
  });
  await one.startUntil(/"kind":"ready"/, "--json");
  // The limit is the renamed role's.
  const renamed = made.map((text) => text.replace(/authenticator connection/, "visitors connection"));
  expect((await one.run("db", "query", `${renamed.join(";")}; create role anon`)).code).toBe(0);
  await one.stop();
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(reset(one.output)).toEqual(made.toSorted());
  expect((await one.rest("first")).status).toBe(200);
  await one.run("db", "query", "drop role authenticator; alter role service_role rename to service");
  expect((await one.run("reset")).code).toBe(0);
  expect((await one.rest("first")).status).toBe(200);
  await one.run("db", "query", "create database other");
  await one.run(
    "db",
    "query",
    `create extension dblink with schema extensions; select extensions.dblink_exec(format(
       'host=127.0.0.1 port=%s dbname=other user=postgres password=postgres', current_setting('port')),
       'alter database postgres allow_connections false')`,
  );
  await one.stop();
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(reset(one.output).slice(-1)).toEqual(["alter database postgres allow_connections false"]);
  expect((await one.rest("first")).status).toBe(200);
  await one.stop();
}, 300_000);

test("a reset without a running stack runs no job of the database that it replaces, which could end Postgres", async () => {
  let called = 0;
  const listener = createServer((_request, response) => {
    called += 1;
    response.end();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  one = new Project({
    "migrations/20260101000000_first.sql": "create table public.first (id int primary key);\n",
  });
  await one.start();
  const call = `select net.http_get('http://127.0.0.1:${port}/')`;
  const made = `create extension pg_net; create extension pg_cron; ${call}; select cron.schedule('boot', '@reboot', $$${call}$$)`;
  expect((await one.run("db", "query", made)).code).toBe(0);
  // A request without an answer would be sent again by the next start.
  const answered = async (calls: number) => {
    const counted = "select count(*) as answers from net._http_response";
    const ask = async () => (await one?.run("db", "query", counted))?.stdout;
    await expect.poll(ask, { timeout: 60_000 }).toMatch(new RegExp(`\\b${calls}\\b`));
    expect(called).toBe(calls);
  };
  await answered(1);
  // A job of @reboot runs at the next start, not where it is made.
  await one.stop();
  await one.start();
  await answered(2);
  await one.stop();
  expect((await one.run("reset")).code).toBe(0);
  expect(called).toBe(2);
  listener.close();
}, 300_000);

/** The notices of one kind that a start has printed. */
function notices(output: string, wanted: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ kind }) => kind === wanted);
}

test("an event trigger on login that raises does not lock anybody out: made in a file, or by an earlier version", async () => {
  const raises = "returns event_trigger language plpgsql as $$ begin raise 'nobody gets in'; end $$";
  one = new Project({
    "migrations/20260101000000_first.sql": `create function public.raises() ${raises};
      create event trigger on_login on login execute function public.raises();
      create table public.first (id int primary key);\n`,
  });
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(notices(one.output, "differs")).toMatchObject([
    {
      differences: [
        {
          statement: "create event trigger on_login",
          hosted: expect.stringContaining("created disabled here"),
        },
      ],
    },
  ]);
  expect((await one.rest("first")).status).toBe(200);
  await one.stop();
  const cluster = await Cluster.start({ projectFolder: one.folder, port: undefined, durable: true });
  await cluster.admin(
    (client) =>
      client.query(`create event trigger earlier on login execute function public.raises();
        select pg_catalog.homebase_give_to_postgres('event trigger earlier')`),
    "postgres",
  );
  await cluster.stop();
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(notices(one.output, "disabled")).toMatchObject([{ objects: ["event trigger earlier"] }]);
  expect((await one.rest("first")).status).toBe(200);
  await one.stop();
}, 300_000);

test("a password that the project has changed is set back, while the stack runs and at a start", async () => {
  one = new Project({
    "migrations/20260101000000_first.sql": "create table public.first (id int primary key);\n",
  });
  await one.start();
  const changed = "alter role authenticator password 'changed'; alter role postgres password 'changed'";
  await one.run("db", "query", changed);
  one.write(
    "migrations/20260102000000_next.sql",
    `create table public.next (id int primary key); ${changed};\n`,
  );
  await one.says(/20260102000000_next/);
  await expect.poll(async () => (await one?.rest("next"))?.status, { timeout: 20_000 }).toBe(200);
  await one.stop();
  await one.start();
  expect((await one.rest("next")).status).toBe(200);
  expect((await one.run("db", "query", "select 1 as one")).code).toBe(0);
  await one.stop();
}, 300_000);

test.each([
  ["postgres", "statement_timeout", "99", true],
  ["postgres", "statement_timeout", "500us", true],
  ["postgres", "statement_timeout", "0", false],
  ["postgres", "statement_timeout", "100ms", false],
  ["postgres", "statement_timeout", "1s", false],
  ["authenticator", "statement_timeout", "1", false],
  ["authenticator", "local_preload_libraries", "x", true],
  ["postgres", "local_preload_libraries", "", false],
  [null, "default_transaction_read_only", "true", true],
  [null, "default_transaction_read_only", "of", false],
  [null, "search_path", "", false],
])("role %s, %s = %s: %s", (role, name, value, expected) => {
  expect(locksOut({ role, name, value })).toBe(expected);
});
