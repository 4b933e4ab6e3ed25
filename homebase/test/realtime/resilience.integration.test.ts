/** Tests Realtime when Postgres restarts, connections end or a database is reset, and its replication slot. */
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { realtimeLine } from "../../src/cli/commands/status/status.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { postmasterPid } from "../../src/postgres/cluster/server-process.ts";
import { createBackend } from "../../src/testing/index.ts";
import { testCluster, testTemplate } from "../../src/testing/shared-cluster.ts";
import { on } from "./change-rig.ts";
import { ownStack } from "./own-stack.ts";
import { PhoenixSocket, userPush, withLimits } from "./phoenix-socket.ts";

const SUBSCRIBED = "Subscribed to PostgreSQL";
const TABLE = `create table public.ticks (id int primary key);
  alter publication supabase_realtime add table public.ticks`;

function ids(socket: PhoenixSocket): unknown[] {
  return socket.changes.map(({ record }) => record?.id);
}

test("a restart of Postgres loses nothing that was committed before it, and subscribing is told again", async () => {
  await using own = await ownStack();
  for (const statement of TABLE.split(";")) await own.sql(statement);
  using socket = await PhoenixSocket.open(own.address);
  await socket.subscribe("ticks", [on("ticks")]);
  await own.sql("insert into ticks select generate_series(1, 3000)");
  const ended = new Promise((resolve) => own.cluster.onUnexpectedExit(resolve));
  process.kill(postmasterPid(own.cluster.folder) ?? 0, "SIGINT");
  await ended;
  await own.cluster.restart();
  await expect
    .poll(() => socket.heard("system").filter(({ message }) => message === SUBSCRIBED).length, {
      timeout: 10_000,
    })
    .toBe(2);
  await own.sql("insert into ticks values (3001)");
  await expect.poll(() => ids(socket).at(-1)).toBe(3001);
  expect(ids(socket)).toEqual(Array.from({ length: 3001 }, (_, index) => index + 1));
  expect(socket.closed).toBeUndefined();
}, 180_000);

test("the connection that changes are judged on is ended, in use or idle, and nothing is lost", async () => {
  await using own = await createBackend({ bare: true });
  await own.sql(`create table public.ticks (id int primary key);
    alter table public.ticks enable row level security;
    create policy slowly on public.ticks for select using (pg_sleep(0.1) is not null);
    alter publication supabase_realtime add table public.ticks`);
  using socket = await PhoenixSocket.open(own);
  await socket.subscribe("ticks", [on("ticks")]);
  const end = () =>
    own.database.query(
      "supabase_admin",
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'homebase realtime' and backend_type = 'client backend' and datname = current_database()",
    );
  for (let id = 1; id <= 6; id += 1) {
    await own.sql("insert into ticks values ($1)", [id]);
    // Every other time the query is in flight; otherwise nothing is.
    if (id % 2 === 1) await new Promise((later) => setTimeout(later, 60));
    else await expect.poll(() => ids(socket).length).toBe(id);
    await expect.poll(async () => (await end()).rowCount, { interval: 10 }).toBe(1);
  }
  await expect.poll(() => ids(socket).length).toBe(6);
  expect(ids(socket)).toEqual([1, 2, 3, 4, 5, 6]);
  // The log was read continuously: nobody had to subscribe again.
  expect(socket.heard("system").filter(({ message }) => message === SUBSCRIBED)).toHaveLength(1);
}, 120_000);

test.each([
  ["with row security", "alter table ticks enable row level security"],
  ["without", "select 1"],
])(
  "a commit that is in the log before others see it is told once they do: %s",
  async (_, security) => {
    await using own = await ownStack();
    for (const statement of TABLE.split(";")) await own.sql(statement);
    await own.sql(security);
    await own.sql("create policy all_of_them on ticks for select using (true)");
    await own.sql("insert into ticks values (1)");
    using socket = await PhoenixSocket.open(own.address);
    await socket.subscribe("ticks", [on("ticks")]);
    const standby = (setting: string) =>
      own.cluster.admin(async (client) => {
        await client.query(`alter system ${setting}`);
        await client.query("select pg_reload_conf()");
      });
    // The checkpointer tells all sessions, some time after the reload. A commit that waits is let go by cancelling it.
    const commitsWait = () =>
      own.cluster.admin(async (client) => {
        const { rows } = await client.query("select pg_backend_pid() as pid");
        let [waited, ended] = [false, false];
        const trying = client.query("select pg_logical_emit_message(true, 'try', '')").finally(() => {
          ended = true;
        });
        await own.cluster.admin(async (other) => {
          while (!ended) {
            const { rowCount } = await other.query(
              "select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'",
              [rows[0]?.pid],
            );
            waited ||= rowCount === 1;
          }
        });
        await trying;
        return waited;
      });
    await socket.join("bells");
    const told = () => socket.heard("postgres_changes").length + socket.binary.length;
    const statements = [
      "insert into ticks values (2)",
      "delete from ticks where id = 1",
      "select realtime.send('{}', 'bell', 'bells', false)",
    ];
    for (const statement of statements) {
      const before = told();
      // A commit that waits for a standby is in the log, but not visible yet.
      await standby("set synchronous_standby_names = 'nobody'");
      await expect.poll(commitsWait).toBe(true);
      const changing = own.sql(statement);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(told()).toBe(before);
      await standby("reset synchronous_standby_names");
      await changing;
      await expect.poll(told).toBe(before + 1);
    }
    expect(socket.changes.map(({ record, old_record }) => record?.id ?? old_record?.id)).toEqual([2, 1]);
  },
  60_000,
);

test("a reset closes sockets with 1012; who comes again is told what happens in the new database", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql(TABLE);
  using before = await PhoenixSocket.open(backend);
  await before.subscribe("ticks", [on("ticks")]);
  const cluster = await testCluster(process.cwd());
  const name = `reset_${process.pid}_${Date.now()}`;
  const project = {
    ...backend.config,
    projectFolder: "/nonexistent",
    supabaseFolder: "/nonexistent/supabase",
  };
  await cloneDatabase(cluster, await testTemplate(cluster, project), name);
  await backend.backend.replaceDatabase(async () => name);
  expect(await before.whenClosed()).toBe(1012);
  const database = backend.backend.database;
  await database.query("postgres", TABLE, []);
  using after = await PhoenixSocket.open(backend);
  await after.subscribe("ticks", [on("ticks")]);
  await database.query("postgres", "insert into ticks values (7)", []);
  await expect.poll(() => ids(after)).toEqual([7]);
  await backend.backend.close();
  await dropDatabase(cluster, name);
});

test("a reader that does not read is dropped with a message, and slows nobody", async () => {
  await using backend = await createBackend({ bare: true });
  await using service = await withLimits(backend, { backlogBytes: 2 * 1024 ** 2 });
  using slow = await PhoenixSocket.open(service);
  using quick = await PhoenixSocket.open(service);
  using sender = await PhoenixSocket.open(service);
  await slow.join("flood", { presence: { enabled: true, key: "slow" } });
  await quick.join("flood");
  const joined = await sender.join("flood");
  slow.socket.pause();
  const frame = userPush(joined, "5", "drop", Buffer.alloc(64 * 1024));
  for (let count = 0; count < 400; count += 20) {
    for (let n = 0; n < 20; n += 1) sender.raw(frame);
    await expect.poll(() => quick.binary.length, { interval: 2 }).toBe(count + 20);
  }
  expect(backend.logs.map(({ message }) => message)).toContain("A socket reads too slowly and is closed.");
  slow.socket.resume();
  expect(await slow.whenClosed()).toBe(1008);
  expect(slow.binary.length).toBeLessThan(400);
  expect(quick.closed).toBeUndefined();
});

test("the slot follows what is read, goes when nobody listens any more, and status says so", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql("create table public.bulk (id int, body text)");
  await using own = await withLimits(backend, { logMilliseconds: 50 });
  const slots = async () => {
    const { rows } = await backend.database.query<{ held: number }>(
      "supabase_admin",
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::int as held
       from pg_replication_slots where database = current_database()`,
      [],
    );
    return rows.map(({ held }) => held);
  };
  expect(await slots()).toEqual([]);
  expect(await own.service.figures()).toEqual({ sockets: 0, channels: 0, heldLogBytes: null });
  const socket = await PhoenixSocket.open(own);
  await socket.join("quiet");
  expect(await slots()).toHaveLength(1);
  // Written behind the reader, which is not notified: the slot must still advance.
  await backend.sql("insert into bulk select n, repeat('x', 500) from generate_series(1, 20000) n");
  await expect.poll(async () => (await slots())[0]).toBeLessThan(1_000_000);
  const figures = await own.service.figures();
  expect(figures).toEqual({ sockets: 1, channels: 1, heldLogBytes: expect.any(Number) });
  expect(realtimeLine(figures)).toMatch(/^1 channel on 1 socket; its replication slot retains \d+\.\d MB/);
  socket.close();
  await expect.poll(slots).toEqual([]);
  expect(realtimeLine(await own.service.figures())).toBe("0 channels on 0 sockets; no replication slot");
});

test("tables that nobody listens to cost nothing, however much is written to them at once", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql(`create table public.noisy (id int primary key, body text);
    alter publication supabase_realtime add table public.noisy`);
  await backend.sql(TABLE);
  using socket = await PhoenixSocket.open(backend);
  await socket.subscribe("ticks", [on("ticks")]);
  await backend.sql("insert into noisy select n, repeat('x', 100) from generate_series(1, 50000) n");
  await backend.sql("insert into ticks values (1)");
  await expect.poll(() => ids(socket)).toEqual([1]);
});

// `ws` waits 30 s for a client to answer its close frame; this test's own time is shorter.
test("a client that reads nothing any more does not hold up a stop", async () => {
  const own = await createBackend({ bare: true });
  const address = `${own.url.replace("http", "ws")}/realtime/v1/websocket?apikey=${own.publishableKey}&vsn=1.0.0`;
  const client = new WebSocket(address);
  await new Promise((resolve) => client.once("open", resolve));
  client.pause();
  const ended = new Promise<void>((resolve) => client.once("close", () => resolve()));
  await own.drop();
  client.resume();
  await ended;
}, 10_000);
