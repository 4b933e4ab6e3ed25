/** Background work for the database: pg_net, database webhooks, pg_cron; and Vault. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSchedule } from "../../src/background/schedule.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { projectWith } from "./project.ts";

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let backend: TestBackend;
let address: string;
const received: Received[] = [];

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    const { method, url, headers } = incoming;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (url === "/slow") return;
    if (url === "/moved") outgoing.writeHead(302, { location: "/elsewhere" }).end();
    else outgoing.writeHead(201, { "content-type": "text/plain", "x-made": "yes" }).end("thanks");
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  backend = await createBackend({ bare: true });
  await backend.sql("create extension pg_net; create extension pg_cron with schema extensions");
});
afterAll(async () => {
  await backend?.drop();
  server?.closeAllConnections();
  server?.close();
});

async function answer(id: unknown) {
  const read = async () =>
    (
      await backend.sql(
        "select status_code, content_type, headers, content, timed_out, error_msg from net._http_response where id = $1",
        [id],
      )
    )[0];
  await expect.poll(read).toBeDefined();
  return read();
}

const ask = async (sql: string, values: unknown[]) =>
  (await backend.sql<{ id: string }>(`select ${sql} as id`, values))[0]?.id;

it("makes a GET request after the commit, with parameters and headers, and keeps the answer", async () => {
  const id = await ask("net.http_get($1, params => $2, headers => $3)", [
    `${address}/get?a=1`,
    { "na me": "ä&=", b: "2" },
    { "X-Own": "mine" },
  ]);
  expect(await answer(id)).toEqual({
    status_code: 201,
    content_type: "text/plain",
    headers: expect.objectContaining({ "x-made": "yes" }),
    content: "thanks",
    timed_out: false,
    error_msg: null,
  });
  const request = received.find(({ url }) => url?.startsWith("/get"));
  expect(request).toMatchObject({
    method: "GET",
    headers: { "x-own": "mine", "user-agent": "pg_net/0.19.5" },
  });
  expect(new URL(request?.url ?? "", address).searchParams).toEqual(
    new URLSearchParams({ a: "1", b: "2", "na me": "ä&=" }),
  );
});

it("posts JSON, adding the content type where it is missing, and refuses any other", async () => {
  const id = await ask("net.http_post($1, body => $2, headers => $3)", [
    `${address}/post`,
    { a: [1] },
    { "X-Own": "mine" },
  ]);
  expect(await answer(id)).toMatchObject({ status_code: 201 });
  const request = received.find(({ url }) => url === "/post");
  expect(request).toMatchObject({
    method: "POST",
    body: '{"a": [1]}',
    headers: { "content-type": "application/json", "x-own": "mine" },
  });
  await expect(
    ask("net.http_post($1, headers => $2)", [address, { "content-type": "text/plain" }]),
  ).rejects.toThrow('Content-Type header must be "application/json"');
});

it("makes a DELETE request", async () => {
  expect(await answer(await ask("net.http_delete($1)", [`${address}/delete`]))).toMatchObject({
    status_code: 201,
  });
  expect(received.find(({ url }) => url === "/delete")).toMatchObject({ method: "DELETE" });
});

it("sends nothing of a transaction that is rolled back", async () => {
  await backend.database
    .transaction("postgres", async (client) => {
      await client.query("select net.http_get($1)", [`${address}/rolled-back`]);
      throw new Error("changed my mind");
    })
    .catch(() => {});
  await answer(await ask("net.http_get($1)", [`${address}/after`]));
  expect(received.some(({ url }) => url === "/rolled-back")).toBe(false);
});

it("follows no redirect, reports time-outs and refusals, and none of them holds up another", async () => {
  const slow = await ask("net.http_get($1, timeout_milliseconds => 200)", [`${address}/slow`]);
  const refused = await ask("net.http_get($1)", ["http://127.0.0.1:1/"]);
  const odd = await ask("net.http_get($1)", ["ftp://example.invalid/"]);
  expect(await answer(await ask("net.http_get($1)", [`${address}/moved`]))).toMatchObject({
    status_code: 302,
  });
  expect(await answer(slow)).toMatchObject({
    status_code: null,
    timed_out: true,
    error_msg: expect.stringMatching(/^Timeout of 200 ms reached\. Total time: [\d.]+ ms$/),
  });
  expect(await answer(refused)).toMatchObject({
    status_code: null,
    timed_out: false,
    error_msg: expect.stringContaining("ECONNREFUSED"),
  });
  expect(await answer(odd)).toMatchObject({ error_msg: expect.stringContaining("not supported") });
});

it("reaches this stack's own API under the names that it has among the CLI's containers", async () => {
  const id = await ask("net.http_get($1, headers => $2)", [
    "http://kong:8000/auth/v1/health",
    { apikey: backend.publishableKey },
  ]);
  expect(await answer(id)).toMatchObject({ status_code: 200, content: expect.stringContaining("GoTrue") });
});

it("lets visitors of the API ask", async () => {
  const id = await backend.database.transaction("postgres", async (client) => {
    await client.query("set local role anon");
    return (await client.query("select net.http_get($1) as id", [`${address}/anon`])).rows[0].id;
  });
  expect(await answer(id)).toMatchObject({ status_code: 201 });
});

it("collects an answer that is there, and says that one is not", async () => {
  const id = await ask("net.http_get($1)", [`${address}/collected`]);
  await answer(id);
  const collect = async (of: unknown) =>
    (
      await backend.sql<{ result: unknown }>("select to_jsonb(net._http_collect_response($1)) as result", [
        of,
      ])
    )[0]?.result;
  expect(await collect(id)).toMatchObject({
    status: "SUCCESS",
    response: { status_code: 201, body: "thanks" },
  });
  expect(await collect(999_999)).toMatchObject({
    status: "ERROR",
    message: "request matching request_id not found",
  });
});

it("tells a webhook of each change when config.toml has them on", async () => {
  const hooked = await createBackend({
    projectFolder: projectWith("[experimental.webhooks]\nenabled = true\n"),
  });
  try {
    await hooked.sql("create table public.orders (id int primary key, state text)");
    await hooked.sql(`create trigger tell after insert or update or delete on public.orders for each row
      execute function supabase_functions.http_request('${address}/hook', 'POST', '{"Content-Type":"application/json","X-Hook":"1"}', '{}', '1000')`);
    await hooked.sql("insert into public.orders values (1, 'new')");
    await hooked.sql("update public.orders set state = 'paid'");
    const hooks = () => received.filter(({ url }) => url === "/hook");
    await expect.poll(() => hooks().length).toBe(2);
    const bodies = hooks().map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(bodies).toContainEqual({
      type: "INSERT",
      table: "orders",
      schema: "public",
      record: { id: 1, state: "new" },
      old_record: null,
    });
    expect(bodies).toContainEqual({
      type: "UPDATE",
      table: "orders",
      schema: "public",
      record: { id: 1, state: "paid" },
      old_record: { id: 1, state: "new" },
    });
    expect(await hooked.sql("select hook_name from supabase_functions.hooks")).toHaveLength(2);
  } finally {
    await hooked.drop();
  }
});

it("runs a job when it is due, as the one who scheduled it, and writes its outcome down", async () => {
  await backend.sql("create table public.ticks (by text, at timestamptz default now())");
  const [job] = await backend.sql<{ id: string }>(
    "select cron.schedule('tick', '*/5 * * * *', 'insert into public.ticks (by) values (session_user)') as id",
  );
  const details = async () => {
    // The runner may not know the job yet when the clock is moved for the first time.
    backend.clock.advance(5 * 60_000);
    return backend.sql(
      "select status, return_message, username, command from cron.job_run_details where jobid = $1 and end_time is not null limit 1",
      [job?.id],
    );
  };
  await expect.poll(details, { timeout: 20_000, interval: 1_100 }).toEqual([
    {
      status: "succeeded",
      return_message: "INSERT 0 1",
      username: "postgres",
      command: "insert into public.ticks (by) values (session_user)",
    },
  ]);
  await backend.sql("select cron.unschedule('tick')");
  expect(await backend.sql("select distinct by from public.ticks")).toEqual([{ by: "postgres" }]);
});

it("reports a job that fails, and counts the rows of one that reads", async () => {
  await backend.sql(
    "select cron.schedule('broken', '1 second', 'select 1/0'), cron.schedule('reading', '1 second', 'select 1 union select 2')",
  );
  const message = (name: string) => async () =>
    (
      await backend.sql(
        "select d.status, d.return_message from cron.job_run_details d join cron.job using (jobid) where jobname = $1 and end_time is not null limit 1",
        [name],
      )
    )[0];
  await expect
    .poll(message("broken"))
    .toEqual({ status: "failed", return_message: "ERROR:  division by zero\n" });
  await expect.poll(message("reading")).toEqual({ status: "succeeded", return_message: "2 rows" });
  await backend.sql("select cron.unschedule('broken'), cron.unschedule('reading')");
});

it("replaces a job of the same name, alters and unschedules, and says what is not there", async () => {
  const put = async (schedule: string) =>
    (await backend.sql<{ id: string }>("select cron.schedule('named', $1, 'select 1') as id", [schedule]))[0]
      ?.id;
  const id = await put("0 0 1 1 *");
  expect(await put("0 0 2 1 *")).toBe(id);
  await backend.sql("select cron.alter_job($1, command => 'select 2', active => false)", [id]);
  expect(
    await backend.sql(
      "select schedule, command, database, username, nodename, active, jobname from cron.job where jobid = $1",
      [id],
    ),
  ).toEqual([
    {
      schedule: "0 0 2 1 *",
      command: "select 2",
      database: "postgres",
      username: "postgres",
      nodename: "localhost",
      active: false,
      jobname: "named",
    },
  ]);
  expect(await backend.sql("select cron.unschedule('named') as gone")).toEqual([{ gone: true }]);
  await expect(backend.sql("select cron.unschedule('named')")).rejects.toThrow(
    "could not find valid entry for job 'named'",
  );
});

it("accepts in the database just the schedules that it can carry out", async () => {
  const candidates = [
    "* * * * *",
    "$ * * * *",
    "0 0 $ * *",
    "61 * * * *",
    "*/5 8-18 * * mon-fri",
    "1 second",
    "59 seconds",
    "60 seconds",
    "@hourly",
    "@never",
    "0 0 * * 7",
    "0 0 31 feb *",
    "1,2,x * * * *",
    "5-1 * * * *",
    "  0 0 * * *  ",
    "*/0 * * * *",
  ];
  for (const schedule of candidates) {
    const [row] = await backend.sql<{ valid: boolean }>("select cron._valid_schedule($1) as valid", [
      schedule,
    ]);
    expect([schedule, row?.valid]).toEqual([schedule, parseSchedule(schedule) !== undefined]);
  }
  await expect(backend.sql("select cron.schedule('61 * * * *', 'select 1')")).rejects.toMatchObject({
    code: "22023",
    message: "invalid schedule: 61 * * * *",
    hint: "Use cron format (e.g. 5 4 * * *), or interval format '[1-59] seconds'",
  });
});

it("lets role postgres read jobs, but write them only through the functions, and nobody run as another", async () => {
  await expect(
    backend.sql("insert into cron.job (schedule, command) values ('* * * * *', 'select 1')"),
  ).rejects.toMatchObject({ code: "42501" });
  for (const username of ["supabase_admin", "postgres"]) {
    await expect(
      backend.sql("select cron.schedule_in_database('mine', '* * * * *', 'select 1', 'postgres', $1)", [
        username,
      ]),
    ).rejects.toMatchObject({
      code: "XX000",
      message: "must be superuser to create a job for another role",
    });
  }
  await expect(
    backend.sql("insert into cron._own_job (schedule, command, username) values ('* * * * *', '', 'anon')"),
  ).rejects.toMatchObject({ code: "44000" });
});

it("keeps secrets encrypted, and gives them back to those who may read them", async () => {
  const [made] = await backend.sql<{ id: string }>(
    "select vault.create_secret('s3cret', 'api_key', 'for the API') as id",
  );
  const [stored] = await backend.sql<{ secret: string }>("select secret from vault.secrets where id = $1", [
    made?.id,
  ]);
  expect(stored?.secret).toMatch(/^[A-Za-z0-9+/=]+$/);
  expect(Buffer.from(stored?.secret ?? "", "base64").includes("s3cret")).toBe(false);
  const read = () =>
    backend.sql("select name, description, decrypted_secret from vault.decrypted_secrets where id = $1", [
      made?.id,
    ]);
  expect(await read()).toEqual([{ name: "api_key", description: "for the API", decrypted_secret: "s3cret" }]);
  await backend.sql("select vault.update_secret($1, 'other')", [made?.id]);
  expect(await read()).toEqual([{ name: "api_key", description: "for the API", decrypted_secret: "other" }]);
  await expect(backend.sql("select vault.create_secret('again', 'api_key')")).rejects.toMatchObject({
    code: "23505",
  });
  await expect(backend.sql("insert into vault.secrets (secret) values ('x')")).rejects.toMatchObject({
    code: "42501",
  });
  await backend.database.transaction("postgres", async (client) => {
    await client.query("set local role authenticated");
    await expect(client.query("select * from vault.decrypted_secrets")).rejects.toMatchObject({
      code: "42501",
    });
  });
  await expect(backend.sql("select pg_read_binary_file('homebase_vault.key')")).rejects.toMatchObject({
    code: "42501",
  });
});

it("puts the secrets of config.toml into the vault before the migrations", async () => {
  const folder = projectWith('[db.vault]\ntoken = "from config"\nmissing = "env(NOT_THERE_AT_ALL)"\n', {
    "20260101000000_copy.sql":
      "create table public.copied as select name, decrypted_secret from vault.decrypted_secrets;",
  });
  const project = await createBackend({ projectFolder: folder });
  try {
    expect(await project.sql("select * from public.copied")).toEqual([
      { name: "token", decrypted_secret: "from config" },
    ]);
  } finally {
    await project.drop();
  }
});
