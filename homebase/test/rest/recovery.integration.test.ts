/** When the database stops, is busy, or changes without a listener. */
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { restOptions } from "../../src/rest/postgrest-settings.ts";
import { openRestService } from "../../src/rest/service.ts";
import { forThisFile } from "../for-this-file.ts";
import { openRest } from "./fixture.ts";

const rest = await forThisFile(openRest());

const endConnections = () =>
  rest.backend.database.query(
    "supabase_admin",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator' and datname = current_database()",
  );

it("recovers by itself from lost connections", async () => {
  await rest.ask("GET", "/places");
  await endConnections();
  await expect.poll(async () => (await rest.ask("GET", "/places?id=eq.1")).status).toBe(200);
});

it("answers a statement whose connection is ended with 503, and the next one well", async () => {
  const slow = rest.ask("POST", "/rpc/slow", { body: { seconds: 60 } });
  const running = () =>
    rest.backend.sql(
      "select 1 from pg_stat_activity where state = 'active' and query like '%\"slow\"%' and pid <> pg_backend_pid()",
    );
  await expect.poll(running).toHaveLength(1);
  await endConnections();
  const answer = await slow;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  await expect.poll(async () => (await rest.ask("GET", "/places?id=eq.1")).status).toBe(200);
});

it("listens again after its connection is ended, and sees what changed meanwhile", async () => {
  await rest.ask("GET", "/places");
  await endConnections();
  await rest.backend.sql("create table later (id int primary key); insert into later values (1)");
  await expect.poll(async () => (await rest.ask("GET", "/later")).json).toEqual([{ id: 1 }]);
  const listeners = () =>
    rest.backend.database.query(
      "supabase_admin",
      "select 1 from pg_stat_activity where application_name = 'homebase listener' and datname = current_database()",
    );
  await expect.poll(async () => (await listeners()).rowCount).toBe(1);
});

it("gives up waiting for a connection after its time", async () => {
  const { backend } = rest.backend;
  const options = restOptions({
    config: rest.backend.config,
    keys: backend.keys,
    database: rest.backend.database,
    clock: rest.backend.clock,
    log: silentLog,
    url: rest.backend.url,
    storageFolder: "/nonexistent",
    sendMail: async () => undefined,
    happened: () => {},
  });
  const service = openRestService({ ...options, acquireTimeout: 100 });
  const read = async () => {
    const answer = await service.handle({
      id: "1",
      method: "GET",
      path: "/places",
      query: "",
      headers: {},
      rawHeaders: [],
      authorization: undefined,
      remoteAddress: "127.0.0.1",
      body: Readable.from([]),
      signal: new AbortController().signal,
    });
    return [answer.status, answer.headers["proxy-status"]];
  };
  expect(await read()).toEqual([200, undefined]);
  const held = await Promise.all(Array.from({ length: options.pool.max }, () => options.pool.lease()));
  try {
    expect(await read()).toEqual([504, "PostgREST; error=PGRST003"]);
  } finally {
    for (const lease of held) lease.release();
    await service.close();
  }
});

it("serves on after more clients than it has connections left in the middle of a response", async () => {
  const { url, publishableKey } = rest.backend;
  const large = `${url}/rest/v1/rpc/large`;
  await rest.backend.sql(
    `create function public.large() returns text language sql stable as $$ select repeat('x', 8000000) $$;
     grant execute on function public.large() to anon`,
  );
  for (let times = 0; times < 12; times += 1) {
    const leaving = new AbortController();
    const response = await fetch(large, { headers: { apikey: publishableKey }, signal: leaving.signal });
    expect(response.status).toBe(200);
    await response.body?.getReader().read();
    leaving.abort();
  }
  expect((await rest.ask("GET", "/places?id=eq.1")).status).toBe(200);
  const whole = await fetch(large, { headers: { apikey: publishableKey } });
  expect((await whole.text()).length).toBe(8_000_002);
});
