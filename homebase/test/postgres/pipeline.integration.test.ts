/** Batches over shared connections: their guarantees, whatever other batches on the connection do. */
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { type BatchStatement, ConnectionLost } from "../../src/postgres/pipeline/connection.ts";
import { ConnectionRefused, PipelinePool, PoolExhausted } from "../../src/postgres/pipeline/pool.ts";
import type { Value } from "../../src/postgres/pipeline/wire.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

let pool: PipelinePool;

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create table public.things (id int primary key, name text)");
});
beforeEach(() => {
  pool = new PipelinePool(backend.database.connection("supabase_admin"), {
    max: 4,
    idleMs: 30_000,
    log: silentLog,
  });
});
afterEach(() => pool.close());

const one = (text: string, ...values: Value[]): BatchStatement => ({ text, values, prepare: true });
const plain = (text: string): BatchStatement => ({ text, values: [], prepare: false });
const value = async (text: string, ...values: Value[]) =>
  (await pool.run([one(text, ...values)]))[0]?.[0]?.text(0);

/** Waits until a statement with this beginning runs in Postgres. */
async function isRunning(beginning: string): Promise<void> {
  const running = () =>
    backend.database.query(
      "supabase_admin",
      "select 1 from pg_stat_activity where state = 'active' and starts_with(query, $1)",
      [beginning],
    );
  await expect.poll(async () => (await running()).rows.length).toBe(1);
}

/** Makes a kind of read known as quick. */
async function warmUp(text: string): Promise<void> {
  for (let run = 0; run < 6; run += 1) await pool.run([one(text, "1")], { shape: text });
}

it("gives each statement's rows, with nulls, empty texts and bytes as they are", async () => {
  const rows = await pool.run([
    one("select $1::text, null, ''", "ä€😀"),
    one("select 1 where false"),
    one("select $1::bytea", Buffer.from([0, 255])),
  ]);
  expect([0, 1, 2, 3].map((column) => rows[0]?.[0]?.text(column))).toEqual(["ä€😀", null, "", undefined]);
  expect(rows[1]).toEqual([]);
  expect(rows[2]?.[0]?.text(0)).toBe("\\x00ff");
});

it("reads values that span many packets", async () => {
  const long = await value("select repeat('0123456789', 1000000) || $1", "!");
  expect([long?.length, long?.endsWith("9!")]).toEqual([10_000_001, true]);
});

it("keeps nothing of a batch whose later statement fails, and works on", async () => {
  const failing = pool.run([
    one("insert into public.things values (1, 'gone')"),
    one("select 1 / $1::int", "0"),
  ]);
  await expect(failing).rejects.toMatchObject({ code: "22012", message: "division by zero" });
  expect(await value("select count(*) from public.things")).toBe("0");
});

it("reports what only the commit refuses", async () => {
  await backend.sql(
    "create table public.pairs (id int primary key, other int references public.pairs deferrable initially deferred)",
  );
  await expect(pool.run([one("insert into public.pairs values (1, 2)")])).rejects.toMatchObject({
    code: "23503",
  });
  expect(await value("select count(*) from public.pairs")).toBe("0");
});

it("rolls back a transaction that broke off between its own begin and commit", async () => {
  const small = new PipelinePool(backend.database.connection("supabase_admin"), {
    max: 1,
    idleMs: 30_000,
    log: silentLog,
  });
  const broken = small.run([
    plain("begin"),
    plain("insert into public.things values (2, 'x')"),
    plain("select nothing"),
    plain("commit"),
  ]);
  await expect(broken).rejects.toMatchObject({ code: "42703" });
  const [rows] = await small.run([one("select count(*) from public.things")]);
  expect(rows?.[0]?.text(0)).toBe("0");
  await small.close();
});

it("rolls back what a lease left open", async () => {
  const lease = await pool.lease();
  await lease.run([plain("begin"), plain("insert into public.things values (3, 'x')")]);
  lease.release();
  await expect
    .poll(() =>
      value(
        "select count(*) from pg_locks where relation = 'public.things'::regclass and mode = 'RowExclusiveLock'",
      ),
    )
    .toBe("0");
  expect(await value("select count(*) from public.things")).toBe("0");
});

it("prepares anew what the connection has forgotten or what has changed meanwhile", async () => {
  const text = "select * from public.things where id = $1";
  const ask = () => pool.run([one(text, "1")]);
  await ask();
  await pool.run([plain("deallocate all")]);
  expect(await ask()).toEqual([[]]);
  await backend.sql("alter table public.things add column more text");
  expect(await ask()).toEqual([[]]);
});

it("does not take one batch's failure to prepare for another's", async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) =>
      pool.run([one("select 10 / $1::int", String(at % 2))], { shape: "half" }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? "rejected" : "fulfilled")),
  );
});

it("keeps no more prepared statements than it may", async () => {
  const small = new PipelinePool(backend.database.connection("supabase_admin"), {
    max: 1,
    idleMs: 30_000,
    log: silentLog,
  });
  for (let at = 0; at < 600; at += 1) await small.run([one(`select ${at}`)]);
  const [rows] = await small.run([plain("select count(*) from pg_prepared_statements")]);
  expect(Number(rows?.[0]?.text(0))).toBeLessThanOrEqual(500);
  await small.close();
});

it("refuses more parameters than the protocol has room for, and works on", async () => {
  const many = pool.run([one("select 1", ...Array.from({ length: 70_000 }, () => "1"))]);
  await expect(many).rejects.toThrow(RangeError);
  expect(await value("select 1")).toBe("1");
});

it("answers quick reads at once although one of their kind turns out slow", async () => {
  const text = "select pg_sleep($1::float8 / 1000)";
  await warmUp(text);
  const order: string[] = [];
  const slow = pool.run([one(text, "1000")], { shape: text }).then(() => order.push("slow"));
  const quick = Array.from({ length: 40 }, () =>
    pool.run([one(text, "0")], { shape: text }).then(() => order.push("quick")),
  );
  await Promise.all([slow, ...quick]);
  expect(order).toEqual([...Array.from({ length: 40 }, () => "quick"), "slow"]);
});

it("runs what writes on a connection of its own, once", async () => {
  const text = "insert into public.things select coalesce(max(id), 100) + 1 from public.things";
  await pool.run([one(text)]);
  const blocked = pool.run([one("select pg_advisory_xact_lock(1), pg_sleep(0.3)")]);
  const waits = pool.run([one("select pg_advisory_xact_lock(1)"), one(text)]);
  expect(await value("select 'at once'")).toBe("at once");
  await Promise.all([blocked, waits]);
  expect(await value("select count(*) from public.things where id > 100")).toBe("2");
});

it("refuses those who waited too long for a connection", async () => {
  const leases = await Promise.all(Array.from({ length: pool.max }, () => pool.lease()));
  await expect(pool.run([one("select 1")], { patience: 50 })).rejects.toThrow(PoolExhausted);
  for (const lease of leases) lease.release();
  expect(await value("select 1")).toBe("1");
});

it("says that the database cannot be reached, to all who wait", async () => {
  const nowhere = new PipelinePool({ host: "127.0.0.1", port: 1 }, { max: 2, idleMs: 1_000, log: silentLog });
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => nowhere.run([one("select 1")])));
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: "rejected", reason: { name: ConnectionRefused.name } });
  }
  await nowhere.close();
});

it("says why Postgres ended a connection, and opens another", async () => {
  const running = Promise.allSettled([pool.run([one("select 'ended', pg_sleep(5)")])]);
  await isRunning("select 'ended'");
  await backend.database.query(
    "supabase_admin",
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select ''ended''%'",
  );
  expect(await running).toMatchObject([{ status: "rejected", reason: { code: "57P01" } }]);
  expect(await value("select 1")).toBe("1");
});

it("cancels what is running for a caller that went away", async () => {
  const controller = new AbortController();
  const running = pool.run([one("select pg_sleep(20)")], { signal: () => controller.signal });
  const ended = expect(running).rejects.toMatchObject({ code: "57014" });
  await isRunning("select pg_sleep(20)");
  controller.abort();
  await ended;
  expect(await value("select 1")).toBe("1");
});

it("answers what it was asked before it closes, and refuses what comes after", async () => {
  const last = pool.run([one("select 'last', pg_sleep(0.5)")]);
  await isRunning("select 'last'");
  const closing = pool.close();
  expect((await last)[0]?.[0]?.text(0)).toBe("last");
  await closing;
  await expect(pool.run([one("select 1")])).rejects.toThrow(ConnectionRefused);
});

it("tells a lease that its connection is gone", async () => {
  const lease = await pool.lease();
  const [rows] = await lease.run([one("select pg_backend_pid()")]);
  await backend.database.query("supabase_admin", "select pg_terminate_backend($1)", [
    Number(rows?.[0]?.text(0)),
  ]);
  await expect
    .poll(() => lease.run([one("select 1")]).catch((error: Error) => error))
    .toBeInstanceOf(ConnectionLost);
  lease.release();
});
