/**
 * Row changes over time: order, schema changes while a client listens, visibility at that time
 * (docs/compat/realtime.md 14).
 */
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig, changes, on } from "./change-rig.ts";
import { PhoenixSocket } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);

test("visibility is judged by the row as it is when the change is processed", async () => {
  await rig.table(
    "judged",
    "id int primary key, shown boolean, body text",
    "alter table judged enable row level security; create policy shown on judged for select using (shown)",
  );
  using socket = await rig.listener([on("judged")]);
  // Hidden again before it could be checked.
  await backend.sql(
    "do $$ begin insert into judged values (1, true, 'a'); update judged set shown = false; end $$",
  );
  await backend.sql("insert into judged values (2, true, 'b')");
  const [change] = await changes(socket, 1);
  expect(change?.record).toMatchObject({ id: 2 });
});

test("a policy that fails silences those whose claims make it fail, and nobody else", async () => {
  await rig.table(
    "fragile",
    "id int primary key",
    `alter table fragile enable row level security;
     create policy cast_it on fragile for select using ((auth.jwt() ->> 'level')::int > 0)`,
  );
  using good = await rig.listener([on("fragile")], { access_token: await rig.token(ANA, { level: 1 }) });
  using bad = await rig.listener([on("fragile")], { access_token: await rig.token(ANA, { level: "high" }) });
  await backend.sql("insert into fragile values (1)");
  await changes(good, 1);
  await changes(bad, 0);
});

test("only the claims as a whole are set: a policy that reads the old single claims sees nothing", async () => {
  await rig.table(
    "old_claims",
    "id int primary key, whole boolean",
    `alter table old_claims enable row level security;
     create policy p on old_claims for select using (
       case when whole then (current_setting('request.jwt.claims', true)::json ->> 'sub') is not null
            else nullif(current_setting('request.jwt.claim.sub', true), '') is not null end)`,
  );
  using socket = await rig.listener([on("old_claims")]);
  await backend.sql("insert into old_claims values (1, true), (2, false)");
  expect((await changes(socket, 1))[0]?.record).toMatchObject({ id: 1 });
});

test("a transaction's changes come together in its order, after those of transactions that ended before", async () => {
  await rig.table("ordered", "id int primary key, n int");
  using socket = await rig.listener([on("ordered")]);
  const first = await backend.database.pool("postgres").connect();
  await first.query("begin");
  await first.query("insert into ordered values (1, 1)");
  await backend.sql("insert into ordered values (2, 1)");
  await first.query("update ordered set n = 2 where id = 1");
  await first.query("insert into ordered values (3, 1)");
  await first.query("commit");
  await first.query("begin");
  await first.query("insert into ordered values (4, 1)");
  await first.query("rollback");
  first.release();
  const told = await changes(socket, 4);
  expect(told.map(({ type, record }) => [type, record?.id])).toEqual([
    ["INSERT", 2],
    ["INSERT", 1],
    ["UPDATE", 1],
    ["INSERT", 3],
  ]);
  const times = told.map(({ commit_timestamp }) => commit_timestamp);
  expect(new Set(times.slice(1)).size).toBe(1);
  expect(times[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(String(times[0]) <= String(times[1])).toBe(true);
});

test("truncation is not told", async () => {
  await rig.table("truncated", "id int primary key");
  using socket = await rig.listener([on("truncated")]);
  await backend.sql("insert into truncated values (1)");
  await backend.sql("truncate truncated");
  await backend.sql("insert into truncated values (2)");
  expect((await changes(socket, 2)).map(({ type }) => type)).toEqual(["INSERT", "INSERT"]);
});

test("a partition's rows come under the partition, or under the root where the publication says so", async () => {
  await backend.sql(`create table parted (id int primary key, body text) partition by range (id);
    create table parted_low partition of parted for values from (0) to (10);
    alter publication supabase_realtime add table parted`);
  using socket = await rig.listener([{ event: "*", schema: "public", table: "parted%" }]);
  await backend.sql("insert into parted values (1, 'a')");
  await changes(socket, 1);
  expect(["parted", "parted_low"]).toContain(socket.changes[0]?.table);
});

test("a table altered while somebody listens is told as it is then", async () => {
  await rig.table("altered", "id int primary key, body text, gone text");
  using socket = await rig.listener([on("altered")]);
  await backend.sql("insert into altered values (1, 'a', 'x')");
  await changes(socket, 1);
  await backend.sql("alter table altered add column n int default 7; alter table altered drop column gone");
  await backend.sql("insert into altered values (2, 'b')");
  await changes(socket, 2);
  await backend.sql(
    "alter table altered alter column n type text; alter table altered rename column body to text",
  );
  await backend.sql("insert into altered values (3, 'c', 'x')");
  expect((await changes(socket, 3)).map(({ record }) => record)).toEqual([
    { id: 1, body: "a", gone: "x" },
    { id: 2, body: "b", n: 7 },
    { id: 3, text: "c", n: "x" },
  ]);
});

test("rights and row security that change while somebody listens hold from then on", async () => {
  await rig.table("guarded", "id int primary key, body text");
  await rig.table("unguarded", "id int primary key");
  using socket = await rig.listener([on("guarded"), on("unguarded")]);
  await backend.sql("insert into guarded values (1, 'a')");
  await changes(socket, 1);
  await backend.sql(
    "revoke select on guarded from authenticated; grant select (id) on guarded to authenticated",
  );
  await backend.sql("insert into guarded values (2, 'b')");
  expect((await changes(socket, 2))[1]?.record).toEqual({ id: 2 });
  await backend.sql("alter table guarded enable row level security");
  await backend.sql("insert into guarded values (3, 'c')");
  // Row 3 was judged, before the rights change again, once a later row of another table has arrived.
  await backend.sql("insert into unguarded values (1)");
  expect((await changes(socket, 3))[2]).toMatchObject({ table: "unguarded" });
  await backend.sql("revoke all on guarded from authenticated");
  await backend.sql("insert into guarded values (4, 'd')");
  expect((await changes(socket, 4))[3]).toMatchObject({ errors: ["Error 401: Unauthorized"], record: {} });
});

test("a publication that is replaced, as migrations like to do, goes on", async () => {
  await using own = await createBackend({ bare: true });
  await own.sql(
    "create table public.a (id int primary key); alter publication supabase_realtime add table a",
  );
  using socket = await PhoenixSocket.open(own);
  await socket.subscribe("all", [on("a")]);
  await own.sql("drop publication supabase_realtime");
  await own.sql("create table public.stirring (id int)");
  await own.sql("create publication supabase_realtime for table public.a");
  await expect
    .poll(
      async () => {
        await own.sql("insert into a select coalesce(max(id), 0) + 1 from a");
        return socket.changes.length;
      },
      { timeout: 20_000, interval: 200 },
    )
    .toBeGreaterThan(0);
});
