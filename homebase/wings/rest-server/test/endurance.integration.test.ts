/** The standalone server under overload, without its database, and with clients that disconnect. */

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { expect, it } from "vitest";
import { leasePorts } from "../../../test/port-lease.ts";
import { get, standaloneRuns } from "./standalone-run.ts";

const PORT = 54_320 + leasePorts();
const MEGABYTE = 1024 * 1024;

const runs = standaloneRuns(
  PORT,
  `
create role gate login noinherit password 'gate';
create role visitor nologin;
grant visitor to gate;
create schema api;
grant usage on schema api to visitor;
create table api.things (id int primary key);
insert into api.things values (1);
grant select on api.things to visitor;
create function api.slow(seconds float) returns text language sql volatile as $$select pg_sleep(seconds)::text || 'done'$$;
create function api.hasty() returns void language sql set statement_timeout = '50ms' as 'select pg_sleep(5)';
create function api.big(megabytes int) returns text language sql as $$select repeat('x', megabytes * 1024 * 1024)$$;
`,
);
const { start } = runs;

/** The memory of a process. It is asked for often, and starting `ps` each time would slow down what is measured. */
const residentMegabytes = (pid: number): number => {
  const kilobytes =
    process.platform === "linux"
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) / 1024;
};

const running = async (like: string) => {
  const { rowCount } = await runs.cluster.admin((client) =>
    client.query(
      "select 1 from pg_stat_activity where state = 'active' and query like $1 and pid <> pg_backend_pid()",
      [like],
    ),
  );
  return rowCount;
};

it("gives up waiting for a connection after the time that is set, and counts it", async () => {
  const { url, adminUrl = "" } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_DB_POOL: "1",
    PGRST_DB_POOL_ACQUISITION_TIMEOUT: "1",
    PGRST_ADMIN_SERVER_PORT: "0",
  });
  expect((await get(`${url}/things`)).status).toBe(200);
  const slow = fetch(`${url}/rpc/slow`, {
    method: "POST",
    body: '{"seconds":2.5}',
    headers: { "content-type": "application/json" },
  });
  await expect.poll(() => running("%slow%")).toBe(1);
  const before = performance.now();
  const late = await get(`${url}/things`);
  expect(performance.now() - before).toBeGreaterThan(900);
  expect([late.status, late.json]).toEqual([
    504,
    {
      code: "PGRST003",
      details: null,
      hint: null,
      message: "Timed out acquiring connection from connection pool.",
    },
  ]);
  expect(await (await fetch(`${adminUrl}/metrics`)).text()).toContain("pgrst_db_pool_timeouts_total 1.0\n");
  expect(await (await slow).json()).toBe("done");
  expect((await get(`${url}/things`)).status).toBe(200);
});

it("answers 500 when a statement takes longer than the function allows", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor" });
  const answer = await get(`${url}/rpc/hasty`);
  expect([answer.status, answer.json]).toEqual([
    500,
    { code: "57014", details: null, hint: null, message: "canceling statement due to statement timeout" },
  ]);
});

it("cancels the statement of a client that has gone, and goes on with the same connections", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_DB_POOL: "1" });
  const gone = new AbortController();
  const asked = fetch(`${url}/rpc/slow`, {
    method: "POST",
    body: '{"seconds":30}',
    headers: { "content-type": "application/json" },
    signal: gone.signal,
  });
  await expect.poll(() => running("%slow%")).toBe(1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  await expect.poll(() => running("%slow%")).toBe(0);
  expect((await get(`${url}/things`)).json).toEqual([{ id: 1 }]);
});

it("says 503 with a time to retry while the database is away, and serves again by itself", async () => {
  const { url, adminUrl = "" } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_ADMIN_SERVER_PORT: "0" });
  expect((await get(`${url}/things`)).status).toBe(200);
  const seen = new Map<string, number>();
  let away = true;
  const asking = (async () => {
    while (away) {
      const answer = await get(`${url}/things`);
      const { code } = answer.json as { code?: string };
      if (code !== undefined) {
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }
    }
  })();
  await runs.cluster.restart();
  await expect.poll(async () => (await get(`${url}/things`)).status, { timeout: 10_000 }).toBe(200);
  away = false;
  await asking;
  expect(seen.size).toBeGreaterThan(0);
  // What is worded by Postgres itself while it starts or stops is its SQLSTATE.
  for (const code of seen.keys()) expect(code).toMatch(/^(PGRST00[012]|57P0\d|08\d\d\d)$/);
  await expect.poll(async () => (await fetch(`${adminUrl}/ready`)).status, { timeout: 10_000 }).toBe(200);
});

it("holds an answer of 50 MB not more than a few times", async () => {
  const { url, child } = await start({ PGRST_DB_ANON_ROLE: "visitor" });
  const resident = () => residentMegabytes(child.pid ?? 0);
  await get(`${url}/things`);
  const before = resident();
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, resident());
  }, 10);
  let bytes = 0;
  try {
    const asked = request(`${url}/rpc/big?megabytes=50`).end();
    const [answer] = (await once(asked, "response")) as [import("node:http").IncomingMessage];
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(answer, "end");
  } finally {
    clearInterval(watching);
  }
  expect(bytes).toBe(50 * MEGABYTE + 2);
  expect(most - before).toBeLessThan(150);
});
