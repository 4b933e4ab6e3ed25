/** The logs of the stand-in for hosted: what was really logged, by the queries that other tools send. */
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Hosted, startHosted } from "../index.ts";
import { type Answer, callerOf } from "./api.ts";

let hosted: Hosted;
let call: ReturnType<typeof callerOf>;

/** Its Postgres is its own: a shared one's log is not this project's. */
beforeAll(async () => {
  hosted = await startHosted({ projectFolder: process.cwd() });
  call = callerOf(hosted);
  await call("POST", "/database/query", {
    query: "create table public.notes (id int primary key); grant select on public.notes to anon",
  });
  const { url, keys } = hosted.project;
  const client = createClient(url, keys.publishableKey, { auth: { persistSession: false } });
  await client.from("notes").select();
  await client.from("nothing").select();
  await client.auth.signInWithPassword({ email: "nobody@example.org", password: "wrong horse" });
  await client.storage.listBuckets();
  await call("POST", "/database/query", { query: "select missing_column from public.notes" });
}, 120_000);
afterAll(() => hosted?.close());

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
function logs(sql: string, start = hourAgo(), end = new Date().toISOString()): Promise<Answer> {
  const query = new URLSearchParams({ sql, iso_timestamp_start: start, iso_timestamp_end: end });
  return call("GET", `/analytics/endpoints/logs?${query}`);
}
const rows = async (sql: string) => {
  const { status, body } = await logs(sql);
  expect([sql, status, body.message]).toEqual([sql, 200, undefined]);
  return body.result as Record<string, unknown>[];
};

test("the gateway's requests, with method, path and status", async () => {
  // As the MCP server's get_logs for "api".
  const found = await rows(`
    select id, log_attributes['identifier'] as identifier, timestamp, event_message,
      log_attributes['request.method'] as method, log_attributes['request.path'] as path,
      log_attributes['response.status_code'] as status_code
    from logs where source = 'edge_logs' order by timestamp desc limit 100`);
  expect(found).toContainEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    identifier: hosted.project.ref,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/),
    event_message: "GET | 404 | /rest/v1/nothing?select=*",
    method: "GET",
    path: "/rest/v1/nothing",
    status_code: "404",
  });
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  const times = found.map(({ timestamp }) => String(timestamp));
  expect(times).toEqual([...times].sort().reverse());
});

test("Auth, Storage and REST have their requests; Postgres its errors with code and statement", async () => {
  const [signIn] = await rows(
    `select log_attributes['level'] as level, log_attributes['status'] as status,
       log_attributes['path'] as path, log_attributes['msg'] as msg from logs where source = 'auth_logs'`,
  );
  expect(signIn).toEqual({ level: "warning", status: "400", path: "/token", msg: "request completed" });
  expect(await rows("select event_message from logs where source = 'storage_logs'")).toEqual([
    { event_message: "GET | 200 | /storage/v1/bucket" },
  ]);
  expect(
    await rows(
      `select event_message, log_attributes['parsed.error_severity'] as severity,
         log_attributes['parsed.query'] as query
       from logs where source = 'postgres_logs' and log_attributes['parsed.sql_state_code'] = '42703'`,
    ),
  ).toEqual([
    {
      event_message: 'column "missing_column" does not exist at character 8',
      severity: "ERROR",
      query: "select missing_column from public.notes",
    },
  ]);
});

test("what a function writes is its log, and its calls are rows of their own", async () => {
  const form = new FormData();
  form.append(
    "file",
    new Blob([
      "Deno.serve(() => { console.warn('from inside'); return new Response('x', { status: 503 }); })",
    ]),
    "supabase/functions/talk/index.ts",
  );
  const metadata = { name: "talk", entrypoint_path: "supabase/functions/talk/index.ts", verify_jwt: false };
  form.append("metadata", JSON.stringify(metadata));
  await fetch(`${hosted.management.url}/v1/projects/${hosted.project.ref}/functions/deploy?slug=talk`, {
    method: "POST",
    headers: { authorization: `Bearer ${hosted.management.accessToken}` },
    body: form,
  });
  const { status } = await fetch(`${hosted.project.url}/functions/v1/talk`);
  expect(status).toBe(503);
  const { id } = (await call("GET", "/functions/talk")).body;
  const running = { function_id: id, version: "1", deployment_id: `${hosted.project.ref}_${id}_1` };
  const [request] = await rows(
    `select log_attributes['function_id'] as function_id, log_attributes['version'] as version,
       log_attributes['deployment_id'] as deployment_id, log_attributes['response.status_code'] as status_code,
       log_attributes['execution_id'] as execution_id
     from logs where source = 'function_edge_logs'`,
  );
  expect(request).toEqual({ ...running, status_code: "503", execution_id: expect.any(String) });
  await expect
    .poll(() =>
      rows(
        `select event_message, severity_text, log_attributes['level'] as level,
           log_attributes['event_type'] as event_type, log_attributes['function_id'] as function_id,
           log_attributes['execution_id'] as execution_id
         from logs where source = 'function_logs'`,
      ),
    )
    .toContainEqual({
      event_message: "from inside",
      severity_text: "WARN",
      level: "warning",
      event_type: "Log",
      function_id: id,
      execution_id: request?.execution_id,
    });
}, 120_000);

test("the dashboard's charts, counts and lists, and a page of the Supabase CLI", async () => {
  const status = "toInt32OrZero(log_attributes['response.status_code'])";
  const chart = await rows(`
    -- Logs Chart Query
    select toStartOfHour(timestamp) as timestamp,
      countIf(not ((${status} >= 500) or (${status} between 400 and 499))) as ok_count,
      countIf(${status} >= 500) as error_count, countIf(0) as warning_count
    from logs where source = 'edge_logs' and (log_attributes['request.path'] like '/rest/%') and not (0)
    group by timestamp order by timestamp asc`);
  // One row for each hour, although the column of the table has the same name as the result.
  expect(chart.reduce((sum, { ok_count }) => sum + Number(ok_count), 0)).toBe(1);
  expect(chart.length).toBeLessThanOrEqual(2);

  const facets = await rows(`
    with unified_logs as (
      select id, null as source_id, timestamp as timestamp,
        case source when 'edge_logs' then 'edge' when 'auth_logs' then 'auth' else source end as log_type,
        toString(log_attributes['response.status_code']) as status,
        case when severity_text in ('INFO', 'LOG') then 'success' when ${status} >= 500 then 'error'
          else 'warning' end as level, log_attributes['request.method'] as method
      from logs where source in ('edge_logs', 'auth_logs')
    ),
    type_counts as (select count(*) as total, countIf(log_type = 'auth') as auth_count from unified_logs),
    method_count as (
      select 'method' as dimension, method as value, count(*) as count from unified_logs
      where method is not null and method != '' group by method limit 20)
    select 'log_type' as dimension, 'auth' as value, auth_count as count from type_counts
    union all select dimension, value, count from method_count`);
  expect(facets).toContainEqual({ dimension: "log_type", value: "auth", count: 1 });
  expect(facets.map(({ value }) => value)).toContain("GET");

  const page = await rows(`
    select id, toUnixTimestamp64Milli(timestamp) as ts_ms, source, severity_text,
      multiIf(source = 'auth_logs', multiIf(lower(log_attributes['level']) in ('error','fatal'), 'error', 'warn'),
        source in ('edge_logs'), if(${status} >= 400, 'warn', 'info'), '') as level, event_message, log_attributes
    from logs where (source = 'edge_logs' or source = 'auth_logs')
      and positionCaseInsensitiveUTF8(event_message, 'TOKEN') > 0
      and (toUnixTimestamp64Milli(timestamp) > 5 or (toUnixTimestamp64Milli(timestamp) = 5 and id > 'a'))
    order by ts_ms desc, id desc limit 100`);
  expect(page.map(({ source, level }) => [source, level]).sort()).toEqual([
    ["auth_logs", "warn"],
    ["edge_logs", "warn"],
  ]);
  expect(page[0]).toMatchObject({ ts_ms: expect.any(Number), log_attributes: { "request.method": "POST" } });
});

test("queries that people and assistants write: keys, groups, shares, subqueries", async () => {
  const keys = await rows(
    "select arrayJoin(mapKeys(log_attributes)) as key, count() as n from logs where source = 'edge_logs' group by key order by n desc, key",
  );
  expect(keys.map(({ key }) => key)).toContain("request.path");
  expect(
    await rows(
      "select distinct source from logs where source in ('edge_logs', 'storage_logs') order by source",
    ),
  ).toEqual([{ source: "edge_logs" }, { source: "storage_logs" }]);
  const [shares] =
    await rows(`select quantile(0.95)(toFloat64OrNull(log_attributes['response.origin_time'])) as p95,
    count() / 2 as half, count(*) as n from (select * from logs where source = 'storage_logs') as part`);
  expect(shares).toMatchObject({ half: 0.5, n: 1 });
  const [missing] = await rows(
    "select count() as n from logs where log_attributes['no such key'] = '' and timestamp > now() - interval 5 minute",
  );
  expect(Number(missing?.n)).toBeGreaterThan(0);
  expect(
    await rows("select event_message from logs where event_message = 'it''s; \\'quoted\\'' limit 1;"),
  ).toEqual([]);
});

test("whatever else is asked is refused in words, and nothing but logs is read", async () => {
  for (const [sql, reason] of [
    ["select * from edge_logs", "There is no table edge_logs"],
    ["select * from auth.users", "FROM takes the table logs"],
    ["select * from public.notes", "FROM takes the table logs"],
    ["select * from (select * from pg_authid) as x", "There is no table pg_authid"],
    ["delete from logs", "Only SELECT"],
    ["select 1; select 2", "not understood"],
    ["select pg_read_file('/etc/passwd') as x from logs", "The function pg_read_file is not available"],
    ["select level from logs", "There is no column level"],
    ["select * from logs join logs as b on true", "joins are not understood"],
    ["select m.path from logs cross join unnest(metadata) as m", "not understood"],
    ["select log_attributes['response.status_code'] >= 500 as x from logs", "operator does not exist"],
    ["select toInt32OrZero(42) as x from logs", "does not exist"],
    ["select 'x from logs", "cannot be read"],
    ["select count( from logs", "is not closed"],
    ["with x as (insert into logs values (1) returning 1) select * from x", "Only SELECT"],
    ["select $1 from logs", "cannot be read"],
  ] as const) {
    const { status, body } = await logs(sql);
    expect([sql, status, body]).toEqual([sql, 200, { result: null, error: expect.stringContaining(reason) }]);
  }
});

test("a time range has 24 hours at most, and the last minute without one", async () => {
  const all = "select count() as n from logs";
  expect((await logs(all, new Date(Date.now() - 25 * 3_600_000).toISOString())).body.message).toContain(
    "24 hours",
  );
  expect((await logs(all, "yesterday")).status).toBe(400);
  expect((await logs(all, hourAgo(), new Date(Date.now() - 1_800_000).toISOString())).body.result).toEqual([
    { n: 0 },
  ]);
  const without = await call("GET", `/analytics/endpoints/logs?sql=${encodeURIComponent(all)}`);
  expect(without.status).toBe(200);
  expect(await call("GET", "/analytics/endpoints/logs.all?sql=x")).toMatchObject({
    status: 410,
    body: { message: expect.stringContaining("analytics/endpoints/logs") },
  });
});
