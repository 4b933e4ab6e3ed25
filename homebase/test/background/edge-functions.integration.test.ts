/** Requests from the database to edge functions, and their abort when the stack stops. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cloneDatabase } from "../../src/postgres/cluster/copies.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { testCluster, testTemplate } from "../../src/testing/shared-cluster.ts";
import { projectWith } from "./project.ts";

const folder = projectWith(
  "[experimental.webhooks]\nenabled = true\n[functions.open]\nverify_jwt = false\n",
  {
    "20260101000000_jobs.sql": `
      create extension if not exists pg_cron with schema extensions;
      create table public.orders (id int primary key, state text);
      create table public.ticks (at timestamptz default now());
      select cron.schedule('from migration', '1 second', 'insert into public.ticks default values');`,
    "20260101000100_tests.sql": "create extension pgtap with schema extensions;",
  },
  {
    told: `Deno.serve(async (req) => {
      const role = JSON.parse(atob(req.headers.get("authorization").split(".")[1])).role;
      return Response.json({ role, body: await req.json(), hook: req.headers.get("x-hook") });
    });`,
    open: `Deno.serve(async (req) => { console.log("hooked " + await req.text()); return new Response("thanks"); });`,
  },
);
let backend: TestBackend;
let silentUrl: string;
let waiting = 0;

const silent = createServer((request) => {
  waiting += 1;
  request.on("close", () => {
    waiting -= 1;
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  backend = await createBackend({ projectFolder: folder });
});
afterAll(async () => {
  await backend?.drop();
  silent?.closeAllConnections();
  silent?.close();
});

it("calls a function by schedule, with address and key out of the vault, as Supabase's guide says", async () => {
  await backend.sql(
    "select vault.create_secret($1, 'project_url'), vault.create_secret($2, 'publishable_key')",
    [backend.url, backend.publishableKey],
  );
  await backend.sql(`select cron.schedule('invoke-function', '1 second', $job$
    select net.http_post(
      url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/told',
      headers := jsonb_build_object(
        'Content-type', 'application/json',
        'Authorization', 'Bearer ' || (select decrypted_secret from vault.decrypted_secrets where name = 'publishable_key')),
      body := concat('{"time": "', now(), '"}')::jsonb) as request_id;
  $job$)`);
  const answer = async () =>
    (
      await backend.sql<{ status_code: number; content: string }>(
        "select status_code, content from net._http_response where content like '%time%' limit 1",
      )
    )[0];
  await expect.poll(answer, { timeout: 10_000 }).toBeDefined();
  const { status_code, content } = (await answer()) ?? { content: "" };
  expect([status_code, JSON.parse(content)]).toEqual([
    200,
    { role: "anon", body: { time: expect.stringMatching(/^2\d{3}-/) }, hook: null },
  ]);
  const [run] = await backend.sql(
    "select status, return_message from cron.job_run_details join cron.job using (jobid) where jobname = 'invoke-function' and end_time is not null limit 1",
  );
  expect(run).toEqual({ status: "succeeded", return_message: "1 row" });
  await backend.sql("select cron.unschedule('invoke-function')");
});

it("calls a function by a webhook of a table, under the address that the CLI's stack has inside", async () => {
  await backend.sql(`create trigger tell after insert on public.orders for each row execute function
    supabase_functions.http_request('http://host.docker.internal:54321/functions/v1/open', 'POST', '{"Content-Type":"application/json"}', '{}', '5000')`);
  await backend.sql("insert into public.orders values (1, 'new')");
  const hooked = () => backend.logs.find(({ message }) => message.startsWith("hooked "))?.message;
  await expect.poll(hooked).toBeDefined();
  expect(JSON.parse(hooked()?.slice("hooked ".length) ?? "")).toEqual({
    type: "INSERT",
    table: "orders",
    schema: "public",
    record: { id: 1, state: "new" },
    old_record: null,
  });
  const written = () =>
    backend.sql(
      "select content from net._http_response r join supabase_functions.hooks h on h.request_id = r.id",
    );
  await expect.poll(written).toEqual([{ content: "thanks" }]);
});

it("makes pgTAP in a migration, and its tests run", async () => {
  const rows = await backend.sql<{ line: string }>(
    "select extensions.plan(1) as line union all select extensions.has_table('public', 'orders', 'orders are there')",
  );
  expect(rows.map(({ line }) => line)).toEqual(["1..1", "ok 1 - orders are there"]);
});

it("keeps the jobs of two Backends apart, of one name and at one time", async () => {
  const other = await createBackend({ projectFolder: folder });
  try {
    for (const [one, word] of [
      [backend, "first"],
      [other, "second"],
    ] as const) {
      await one.sql("create table public.own (word text)");
      await one.sql("select cron.schedule('same', '1 second', $1)", [
        `insert into public.own values ('${word}')`,
      ]);
    }
    const words = (one: TestBackend) => one.sql("select distinct word from public.own");
    await expect.poll(() => words(other)).toEqual([{ word: "second" }]);
    await expect.poll(() => words(backend)).toEqual([{ word: "first" }]);
    await other.sql("select cron.unschedule('same')");
    const before = await backend.sql<{ count: number }>("select count(*)::int as count from public.own");
    await expect
      .poll(
        async () =>
          (await backend.sql<{ count: number }>("select count(*)::int as count from public.own"))[0],
      )
      .not.toEqual(before[0]);
    expect(await backend.sql("select jobid from cron.job where jobname = 'same'")).toHaveLength(1);
  } finally {
    await other.drop();
    await backend.sql("select cron.unschedule('same')");
  }
});

it("leaves a database that is replaced, though a job and a request run, and serves the new one's jobs", async () => {
  const own = await createBackend({ projectFolder: folder });
  try {
    const before = waiting;
    await own.sql("select cron.schedule('long', '1 second', 'select pg_sleep(60)')");
    await own.sql("select net.http_get($1, timeout_milliseconds => 60000)", [silentUrl]);
    await expect.poll(() => waiting).toBe(before + 1);
    const sleeping = () =>
      own.sql(
        "select 1 from pg_stat_activity where query = 'select pg_sleep(60)' and datname = current_database()",
      );
    await expect.poll(async () => (await sleeping()).length).toBe(1);

    const cluster = await testCluster(folder);
    const next = `replaced_${process.pid}`;
    const began = performance.now();
    await own.backend.replaceDatabase(async () => {
      await cloneDatabase(cluster, await testTemplate(cluster, own.config), next);
      return next;
    });
    expect(performance.now() - began).toBeLessThan(40_000);
    expect(waiting).toBe(before);
    const { database } = own.backend;
    const ticks = async () => (await database.query("postgres", "select 1 from public.ticks")).rows.length;
    await expect.poll(ticks).toBeGreaterThan(0);
    const { rows } = await database.query("postgres", "select jobname from cron.job");
    expect(rows).toEqual([{ jobname: "from migration" }]);
    await database.query("postgres", "select net.http_get($1)", [`${own.url}/auth/v1/health`]);
    await expect
      .poll(async () => (await database.query("postgres", "select 1 from net._http_response")).rows.length)
      .toBe(1);
    expect(own.logs.filter(({ level }) => level === "error")).toEqual([]);
  } finally {
    await own.drop();
  }
});

it("says of a job that the stack's end has ended that it failed, when the stack is there again", async () => {
  const own = await createBackend({ projectFolder: folder });
  try {
    await own.sql("select cron.schedule('long', '1 second', 'select pg_sleep(60)')");
    const runs = async () =>
      (
        await own.backend.database.query(
          "postgres",
          "select status, return_message from cron.job_run_details join cron.job using (jobid) where jobname = 'long' order by runid limit 1",
        )
      ).rows;
    await expect.poll(runs).toEqual([{ status: "running", return_message: null }]);
    const { name } = own.database.address;
    await own.backend.replaceDatabase(async () => name);
    await expect.poll(runs).toEqual([{ status: "failed", return_message: "server restarted" }]);
  } finally {
    await own.drop();
  }
});

it("closes though requests wait for an answer, and writes down that they were given up", async () => {
  const own = await createBackend({ projectFolder: folder });
  const before = waiting;
  await own.sql("select net.http_get($1, timeout_milliseconds => 60000) from generate_series(1, 3)", [
    silentUrl,
  ]);
  await expect.poll(() => waiting).toBe(before + 3);
  const { name } = own.database.address;
  const began = performance.now();
  await own.backend.close();
  expect(performance.now() - began).toBeLessThan(40_000);
  expect(waiting).toBe(before);
  const cluster = await testCluster(folder);
  const { rows } = await cluster
    .database(name)
    .query("postgres", "select distinct timed_out, error_msg from net._http_response");
  expect(rows).toEqual([
    { timed_out: false, error_msg: "Given up, as the stack was stopped or its database replaced" },
  ]);
  expect(own.logs.filter(({ level }) => level === "error")).toEqual([]);
  await own.drop();
});
