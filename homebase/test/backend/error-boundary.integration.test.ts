/**
 * Errors in each kind of event source of a Backend in this process: they end nothing else. Vitest fails a file with an
 * unhandled error, so a missing boundary fails this one.
 */

import { Readable } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { errorBoundary } from "../../src/core/error-boundary.ts";
import { createLog } from "../../src/core/log.ts";
import { readEntries } from "../../src/functions/worker-log.ts";
import { PipelineConnection } from "../../src/postgres/pipeline/connection.ts";
import { MessageWriter, PostgresError } from "../../src/postgres/pipeline/wire.ts";
import { ChangeStream } from "../../src/realtime/changes/replication/stream.ts";
import { Hub } from "../../src/realtime/hub/hub.ts";
import { RealtimeSocket } from "../../src/realtime/socket/socket.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { open } from "../http/raw.ts";
import { PhoenixSocket } from "../realtime/phoenix-socket.ts";

const HEALTH_MS = 1_000;
const backend = await forThisFile(createBackend({ bare: true, limits: { checkMs: 20, bodyStallMs: 60 } }));
afterEach(() => vi.restoreAllMocks());

const boom = () => {
  throw new Error("boom");
};

async function staysHealthy(): Promise<void> {
  const healthy = async () =>
    (await fetch(`${backend.url}/auth/v1/health`, { headers: { apikey: backend.anonKey } })).status;
  await expect.poll(healthy, { timeout: HEALTH_MS }).toBe(200);
}

const logged = (source: string) =>
  expect
    .poll(() => backend.logs.find(({ message }) => message === `An unexpected error in ${source}.`)?.fields)
    .toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), error: expect.stringContaining("boom") });

test("a socket's message: the socket ends, the service goes on", async () => {
  const socket = await PhoenixSocket.open(backend);
  const closed = new Promise((resolve) => socket.socket.once("close", resolve));
  const receive = vi.spyOn(RealtimeSocket.prototype, "receive").mockImplementation(boom);
  socket.socket.send('[null,"1","phoenix","heartbeat",{}]');
  await closed;
  expect(receive).toHaveBeenCalled();
  await logged("a socket's message");
  await staysHealthy();
});

test("a socket's end", async () => {
  const socket = await PhoenixSocket.open(backend);
  vi.spyOn(RealtimeSocket.prototype, "end").mockImplementationOnce(boom);
  socket.socket.close();
  await logged("a socket's end");
  await staysHealthy();
});

test("a timer: the check of sockets", async () => {
  const socket = await PhoenixSocket.open(backend);
  vi.spyOn(RealtimeSocket.prototype, "check").mockImplementationOnce(boom);
  await logged("the check of sockets");
  await staysHealthy();
  socket.socket.terminate();
});

test("a timer of scheduled jobs, by the clock", async () => {
  await backend.sql("create extension if not exists pg_cron");
  await backend.sql("select cron.schedule('often', '1 second', 'select 1')");
  // The timer runs once the job was read.
  await expect.poll(() => backend.sql("select from cron.job_run_details")).not.toEqual([]);
  const clock = vi.spyOn(backend.clock, "now").mockImplementation(boom);
  await logged("the timer of scheduled jobs");
  clock.mockRestore();
  await staysHealthy();
  await backend.sql("select cron.unschedule('often')");
});

test("a stream: changes from the log; the feed opens a new one", async () => {
  await backend.sql("create table public.watched (id int primary key)");
  await backend.sql("grant select on public.watched to anon");
  await backend.sql("alter publication supabase_realtime add table public.watched");
  const socket = await PhoenixSocket.open(backend);
  const { status } = await socket.join("changes", {
    postgres_changes: [{ event: "*", schema: "public", table: "watched" }],
  });
  expect(status).toBe("ok");
  await socket.wait(
    ([, , , event, { status: at, extension }]) =>
      event === "system" && at === "ok" && extension === "postgres_changes",
  );
  const opened = vi.spyOn(ChangeStream, "open");
  const read = vi.spyOn(Buffer.prototype, "readBigInt64BE").mockImplementationOnce(boom);
  // Without a change the stream may be silent for longer than the test waits.
  await backend.sql("insert into public.watched values (0)");
  await logged("the stream of changes");
  read.mockRestore();
  await expect.poll(() => opened.mock.calls.length).toBeGreaterThan(0);
  await opened.mock.results[0]?.value;
  await backend.sql("insert into public.watched values (1)");
  await socket.wait(([, , , event]) => event === "postgres_changes");
  socket.socket.terminate();
});

test("an answer of the database: the connection ends, its request fails, and the next one has another", async () => {
  const failing = () =>
    fetch(`${backend.url}/rest/v1/absent?select=*`, {
      headers: { apikey: backend.secretKey, "content-profile": "public" },
    });
  await backend.sql("create function public.refuse() returns int language sql as 'select 1 / 0'");
  await backend.sql("notify pgrst, 'reload schema'");
  const call = () =>
    fetch(`${backend.url}/rest/v1/rpc/refuse`, { method: "POST", headers: { apikey: backend.secretKey } });
  await expect.poll(async () => (await call()).status).toBe(400);
  const read = vi.spyOn(PostgresError, "read").mockImplementationOnce(boom);
  expect((await call()).status).toBe(503);
  expect(read).toHaveBeenCalled();
  await logged("a connection to the database");
  expect((await call()).status).toBe(400);
  expect((await failing()).status).toBe(404);
  await staysHealthy();
});

test("what is sent to the database: the request fails, and the next one has another connection", async () => {
  const write = vi.spyOn(MessageWriter.prototype, "flush").mockImplementationOnce(boom);
  const query = () =>
    fetch(`${backend.url}/rest/v1/rpc/refuse`, { method: "POST", headers: { apikey: backend.secretKey } });
  expect((await query()).status).toBe(503);
  expect(write).toHaveBeenCalled();
  await logged("a connection to the database");
  expect((await query()).status).toBe(400);
  vi.spyOn(MessageWriter.prototype, "execute").mockImplementationOnce(boom);
  expect((await query()).status).toBe(503);
  expect((await query()).status).toBe(400);
  await staysHealthy();
});

test("a timer of the database's connections", async () => {
  const connection = vi.spyOn(PipelineConnection.prototype, "head").mockImplementationOnce(boom);
  await backend.sql(
    "create function public.waits() returns void language sql as 'select pg_advisory_xact_lock(1)'",
  );
  await backend.sql("notify pgrst, 'reload schema'");
  const call = () =>
    fetch(`${backend.url}/rest/v1/rpc/waits`, { method: "POST", headers: { apikey: backend.secretKey } });
  await expect.poll(async () => (await call()).status).toBe(204);
  let waiting: Promise<Response> | undefined;
  await backend.database.transaction("postgres", async (client) => {
    await client.query("select pg_advisory_xact_lock(1)");
    waiting = call();
    await logged("the check of batches");
  });
  expect(connection).toHaveBeenCalled();
  expect((await waiting)?.status).toBe(204);
  await staysHealthy();
});

test("a listener to notifications: the others hear them, and the connection comes back", async () => {
  const heard: string[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const { notifications } = backend.database;
  const stops = [
    notifications.subscribe("boundary", { notified: boom, listening: boom, lost: boom }),
    notifications.subscribe("boundary", {
      notified: (payload) => heard.push(payload),
      listening: (_, again) => (again ? heard.push("again") : resolve()),
      lost: () => heard.push("lost"),
    }),
  ];
  await ready;
  await backend.sql("notify boundary, 'one'");
  await expect.poll(() => heard).toEqual(["one"]);
  await backend.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'homebase listener' and datname = current_database()",
  );
  await expect.poll(() => heard).toEqual(["one", "lost", "again"]);
  await logged("a listener to notifications");
  await staysHealthy();
  for (const stop of stops) stop();
});

test("a broken request: the connection ends", async () => {
  const { closed } = await open(backend.url, "nonsense\r\n\r\n");
  await closed;
  await staysHealthy();
});

test("an interval of the hub", async () => {
  const hub = vi.spyOn(Hub.prototype, "maintainPartitions").mockRejectedValue(new Error("boom"));
  const log = createLog("test", (entry) => backend.logs.push(entry));
  errorBoundary(log, "a rejection", () => Hub.prototype.maintainPartitions())();
  await logged("a rejection");
  hub.mockRestore();
});

test("a child's output: a line with an unknown level is text, not a call", async () => {
  const mark = "\u001emark ";
  const entries: unknown[] = [];
  const lines = [
    '{"level":"silly"}',
    '{"level":"named"}',
    '{"level":5}',
    "[]",
    "null",
    '{"level":"__proto__"}',
  ];
  const output = Readable.from([
    ...lines.map((line) => `${mark}${line}\n`),
    `${mark}{"level":"warn"}\nfine\n${mark}\n`,
  ]);
  await new Promise<void>((resolve) => {
    readEntries(output, { mark, level: "info", own: "" }, (entry) => entries.push(entry));
    output.once("close", resolve);
  });
  const levels = entries.map((entry) => (entry as { level: string }).level);
  expect(levels).toEqual([...lines.map(() => "info"), "warn"]);
});

test("a log that fails does not pass its error on", () => {
  const failing = createLog("test", boom);
  expect(errorBoundary(failing, "a test", boom)).not.toThrow();
});

test("a Backend installs no process-wide handler, and restarts on its port", async () => {
  expect(process.listeners("uncaughtException").some((one) => /restart/i.test(String(one)))).toBe(false);
  const events = ["uncaughtException", "unhandledRejection", "uncaughtExceptionMonitor"] as const;
  const counts = () => events.map((event) => process.listenerCount(event));
  const before = counts();
  const other = await createBackend({ bare: true });
  expect(counts()).toEqual(before);
  const { url } = other;
  await other.backend.restart();
  const answer = await fetch(`${url}/auth/v1/health`, { headers: { apikey: other.anonKey } });
  expect([other.backend.url, answer.status]).toEqual([url, 200]);
  await other.drop();
});
