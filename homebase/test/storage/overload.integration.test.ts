/**
 * Storage while the database is busy, slow or gone, and with clients that leave in the middle (supabase/storage,
 * src/internal/errors/codes.ts: `SlowDown`, `DatabaseTimeout`).
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { answer, ask, refusal, storageBackend, userToken } from "./fixture.ts";

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  for (const name of ["calm", "slow"]) await ask(backend, "POST", "/bucket", { json: { name } });
  await ask(backend, "POST", "/object/calm/one.txt", { body: "one" });
  await backend.sql(
    `create policy slowly on storage.objects for select to authenticated
       using (case when bucket_id = 'slow' then pg_sleep(60) is not null else false end)`,
  );
});

/** Ends or cancels what the service runs. @returns the number of its connections. */
async function disturb(how: "pg_terminate_backend" | "pg_cancel_backend", state: string): Promise<number> {
  const { rows } = await backend.database.query(
    "supabase_admin",
    `select ${how}(pid) from pg_stat_activity
     where usename = 'supabase_storage_admin' and datname = current_database() and state like $1`,
    [state],
  );
  return rows.length;
}

test("a pool whose connections all stay busy is 429 SlowDown, and serves again", async () => {
  const pool = backend.database.pipeline("supabase_storage_admin");
  const held = [];
  const read = () => answer(ask(backend, "GET", "/object/calm/one.txt"));
  // As many as there are: one more would wait until its time is over.
  for (let wanted = 10; wanted > 0; wanted -= 1) held.push(await pool.lease());
  try {
    expect(await read()).toEqual(
      refusal(429, "429", "too_many_connections", "Too many connections issued to the database", "SlowDown"),
    );
  } finally {
    for (const lease of held) lease.release();
  }
  expect(await read()).toEqual([200, "one"]);
}, 120_000);

test("a statement that takes too long is 544 DatabaseTimeout", async () => {
  await ask(backend, "POST", "/object/slow/two.txt", { body: "two" });
  const token = await userToken(backend);
  const asked = answer(ask(backend, "POST", "/object/list/slow", { json: { prefix: "" }, token }));
  await expect.poll(() => disturb("pg_cancel_backend", "active")).toBeGreaterThan(0);
  expect(await asked).toEqual(
    refusal(544, "544", "DatabaseTimeout", "The connection to the database timed out", "DatabaseTimeout"),
  );
});

test("an upload whose database connections end while its body arrives is stored as a whole", async () => {
  const bytes = randomBytes(3 * 1024 * 1024);
  const { promise: answered, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = request(
    `${backend.url}/storage/v1/object/calm/large.bin`,
    { method: "POST", headers: { authorization: `Bearer ${backend.serviceRoleKey}` } },
    (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    },
  );
  outgoing.on("error", reject);
  outgoing.write(bytes.subarray(0, 1024 * 1024));
  // Its bucket and rights have been looked up by then: the first bytes are in a file.
  await expect.poll(() => openFiles()).toBeGreaterThan(0);
  expect(await disturb("pg_terminate_backend", "%")).toBeGreaterThan(0);
  outgoing.end(bytes.subarray(1024 * 1024));
  expect(await answered).toBe(200);
  const stored = await ask(backend, "GET", "/object/calm/large.bin");
  expect(Buffer.from(await stored.arrayBuffer()).equals(bytes)).toBe(true);
});

test("a client that leaves in the middle of a download leaves no open file", async () => {
  const bytes = randomBytes(20 * 1024 * 1024);
  await ask(backend, "POST", "/object/calm/download.bin", { body: bytes });
  for (let times = 0; times < 20; times += 1) {
    const leaving = new AbortController();
    const response = await fetch(`${backend.url}/storage/v1/object/calm/download.bin`, {
      headers: { authorization: `Bearer ${backend.serviceRoleKey}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
  }
  await expect.poll(() => openFiles()).toBe(0);
  expect(await answer(ask(backend, "GET", "/object/calm/one.txt"))).toEqual([200, "one"]);
});

/** Files of the storage folder that this process has open. */
function openFiles(): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(backend.storageFolder);
    } catch {
      return false;
    }
  }).length;
}
