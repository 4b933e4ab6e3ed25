/** Row changes on the wire: keys, old rows, types, what is too large (docs/compat/realtime.md 14). */
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig, changes, on, rows } from "./change-rig.ts";
import type { PhoenixSocket } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);

test("columns that the role may not select are left out of values and descriptions", async () => {
  await rig.table(
    "partly",
    "id int primary key, body text, secret text",
    "alter table partly replica identity full",
  );
  await backend.sql(
    "revoke select on partly from authenticated; grant select (id, body) on partly to authenticated",
  );
  using socket = await rig.listener([on("partly")]);
  await backend.sql("insert into partly values (1, 'a', 'hush')");
  await backend.sql("update partly set body = 'b', secret = 'hush hush'");
  const [inserted, updated] = await changes(socket, 2);
  expect(inserted).toMatchObject({
    columns: [
      { name: "id", type: "int4" },
      { name: "body", type: "text" },
    ],
  });
  expect(inserted?.record).toEqual({ id: 1, body: "a" });
  expect([updated?.record, updated?.old_record]).toEqual([
    { id: 1, body: "b" },
    { id: 1, body: "a" },
  ]);
});

const KEYS: [type: string, value: string, json: unknown][] = [
  ["uuid", `'${ANA}'`, ANA],
  ["text", "'it''s'", "it's"],
  ["timestamptz", "'2024-01-02 03:04:05.6+02'", "2024-01-02T01:04:05.6+00:00"],
  ["numeric", "1234567.125", 1234567.125],
  ["date", "'2024-01-02'", "2024-01-02"],
  ["bytea", "'\\xcafe'", "cafe"],
  ["int4range", "'[1,5)'", "[1,5)"],
  ["inet", "'10.0.0.1/8'", "10.0.0.1/8"],
  ["bigint", "9007199254740993", 9007199254740992],
  ["oid", "26", "26"],
];

test("a primary key of any type finds its row under row security", async () => {
  const sockets: PhoenixSocket[] = [];
  for (const [index, [type]] of KEYS.entries()) {
    const policy = `alter table key_${index} enable row level security;
      create policy seen on key_${index} for select using (body = 'seen')`;
    await rig.table(`key_${index}`, `k ${type}, body text, primary key (k)`, policy);
    sockets.push(await rig.listener([on(`key_${index}`)]));
  }
  for (const [index, [, value]] of KEYS.entries())
    await backend.sql(`insert into key_${index} values (${value}, 'seen')`);
  for (const [index, socket] of sockets.entries()) {
    await changes(socket, 1);
    expect([KEYS[index]?.[0], rows(socket)[0]?.k]).toEqual([KEYS[index]?.[0], KEYS[index]?.[2]]);
    socket.close();
  }
});

test("a key of several columns, in an order of its own, finds its row", async () => {
  await rig.table(
    "paired",
    `a int, "B c" text, body text, primary key ("B c", a)`,
    `alter table paired enable row level security; create policy seen on paired for select using (a = 1)`,
  );
  using socket = await rig.listener([on("paired")]);
  await backend.sql("insert into paired values (1, 'x', 'seen'), (2, 'x', 'unseen')");
  await changes(socket, 1);
  await backend.sql("update paired set body = 'still' where a = 1");
  const [, updated] = await changes(socket, 2);
  expect([updated?.record, updated?.old_record]).toEqual([
    { a: 1, "B c": "x", body: "still" },
    { a: 1, "B c": "x" },
  ]);
});

test("the replica identity decides what is known of the old row", async () => {
  await rig.table("by_default", "id int primary key, code text not null, body text");
  await rig.table(
    "by_full",
    "id int primary key, code text not null, body text",
    "alter table by_full replica identity full",
  );
  await rig.table(
    "by_index",
    "id int primary key, code text not null, body text",
    "create unique index by_code on by_index (code); alter table by_index replica identity using index by_code",
  );
  const olds: unknown[][] = [];
  for (const name of ["by_default", "by_full", "by_index"]) {
    using socket = await rig.listener([on(name)]);
    await backend.sql(`insert into ${name} values (1, 'c', 'a')`);
    await backend.sql(`update ${name} set body = 'b'`);
    await backend.sql(`update ${name} set id = 2, code = 'd'`);
    await backend.sql(`delete from ${name}`);
    olds.push((await changes(socket, 4)).slice(1).map((change) => change.old_record));
  }
  expect(olds).toEqual([
    [{ id: 1 }, { id: 1 }, { id: 2 }],
    [
      { id: 1, code: "c", body: "a" },
      { id: 1, code: "c", body: "b" },
      { id: 2, code: "d", body: "b" },
    ],
    [{ code: "c" }, { code: "c" }, { code: "d" }],
  ]);
});

test("without a replica identity inserts are told, and a delete fails in the writer's session as on hosted", async () => {
  await rig.table("by_nothing", "id int primary key", "alter table by_nothing replica identity nothing");
  using socket = await rig.listener([on("by_nothing")]);
  await backend.sql("insert into by_nothing values (1)");
  await expect(backend.sql("delete from by_nothing")).rejects.toThrow("does not have a replica identity");
  expect((await changes(socket, 1))[0]?.record).toEqual({ id: 1 });
});

test("a deletion is told to all, with a filter only where the old row has the column", async () => {
  await rig.table(
    "deleted",
    "id int primary key, body text",
    "alter table deleted enable row level security; create policy none on deleted for select using (false)",
  );
  await rig.table(
    "deleted_full",
    "id int primary key, body text",
    "alter table deleted_full replica identity full",
  );
  using all = await rig.listener([on("deleted")]);
  using byKey = await rig.listener([on("deleted", { filter: "id=eq.1" })]);
  using byBody = await rig.listener([on("deleted", { filter: "body=eq.a" })]);
  using full = await rig.listener([on("deleted_full", { filter: "body=eq.a" })]);
  await backend.sql(
    "insert into deleted values (1, 'a'), (2, 'b'); insert into deleted_full values (1, 'a'), (2, 'b')",
  );
  await backend.sql("delete from deleted; delete from deleted_full");
  await changes(all, 2);
  expect(rows(all)).toEqual([{ id: 1 }, { id: 2 }]);
  await changes(byKey, 1);
  await changes(byBody, 0);
  expect((await changes(full, 2)).map(({ type }) => type)).toEqual(["INSERT", "DELETE"]);
  expect(all.changes[0]).not.toHaveProperty("record");
});

test("a change that is too large says so and keeps what is small", async () => {
  await rig.table("large", "id int primary key, small text, body text");
  using socket = await rig.listener([on("large")]);
  await backend.sql("insert into large values (1, 'kept', repeat('x', 1100000))");
  const [change] = await changes(socket, 1);
  expect(change).toMatchObject({
    errors: ["Error 413: Payload Too Large"],
    record: { id: 1, small: "kept" },
  });
  expect(change?.record).not.toHaveProperty("body");
  expect(change?.columns).toHaveLength(3);
});

test("an unchanged value stored out of line is missing, and under identity full is the old row's", async () => {
  await rig.table(
    "toasted",
    "id int primary key, n int, body text",
    "alter table toasted alter body set storage external",
  );
  await rig.table(
    "toasted_full",
    "id int primary key, n int, body text",
    "alter table toasted_full alter body set storage external; alter table toasted_full replica identity full",
  );
  using plain = await rig.listener([on("toasted")]);
  using full = await rig.listener([on("toasted_full")]);
  for (const name of ["toasted", "toasted_full"]) {
    await backend.sql(`insert into ${name} values (1, 1, repeat('x', 5000))`);
    await backend.sql(`update ${name} set n = 2`);
  }
  expect((await changes(plain, 2))[1]?.record).toEqual({ id: 1, n: 2 });
  expect((await changes(full, 2))[1]?.record).toEqual({ id: 1, n: 2, body: "x".repeat(5000) });
});

test("stored generated columns are told, in their place, and can be filtered by", async () => {
  await rig.table(
    "generated",
    "id int primary key, price int, twice int generated always as (price * 2) stored, body text",
    "alter table generated enable row level security; create policy all_of_it on generated for select using (true)",
  );
  using socket = await rig.listener([on("generated", { filter: "twice=gt.10" })]);
  await backend.sql("insert into generated (id, price, body) values (1, 6, 'a'), (2, 3, 'b')");
  await backend.sql("update generated set price = 7 where id = 1");
  const [inserted, updated] = await changes(socket, 2);
  expect(inserted?.record).toMatchObject({ id: 1, price: 6, body: "a" });
  expect(updated?.record).toEqual({ id: 1, price: 7, twice: 14, body: "a" });
  expect(updated?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "id int4",
    "price int4",
    "twice int4",
    "body text",
  ]);
});

test("types go by their names in the catalog, and values have the JSON that to_jsonb gives", async () => {
  await backend.sql(`create type mood as enum ('sad', 'glad'); create type pair as (a int, b text);
    create domain positive as int check (value > 0)`);
  const types = {
    moods: "mood[]",
    both: "pair",
    pos: "positive",
    span: "interval",
    cash: "money",
    bits: "bytea[]",
    many: "float8[]",
    big: "int8",
    huge: "numeric",
    inf: "numeric",
    ids: "uuid[]",
    late: "timestamptz",
    when: "timestamp[]",
    r: "tstzrange",
    j: "json",
    jb: "jsonb[]",
    c: "char(3)",
    never: "timestamptz",
  };
  const columns = Object.entries(types).map(([name, type]) => `"${name}" ${type}`);
  await rig.table("typed", `id int primary key, ${columns.join(", ")}`);
  using socket = await rig.listener([on("typed")]);
  const texts: string[] = [];
  socket.socket.on("message", (data: Buffer) => texts.push(data.toString()));
  await backend.sql(`insert into typed values (1, '{sad,glad}', row(1,'x, "y"'), 3, '1 day 02:03', 12.5, '{"\\\\xca"}',
    '{1.5,NaN,null}', 9223372036854775807, 1234567890.12345678901234567890, 'Infinity', '{${ANA}}',
    '2024-01-02 03:04:05.123456+03', '{2024-01-02 03:04:05}', '[2024-01-01,)', '{"a":  1}', array['{"b":2}'::jsonb], 'x', 'infinity')`);
  const [change] = await changes(socket, 1);
  const [{ expected }] = (await backend.sql<{ expected: Record<string, unknown> }>(
    "select to_jsonb(t) as expected from typed t",
  )) as [{ expected: Record<string, unknown> }];
  expect(change?.record).toEqual({ ...expected, inf: null });
  expect(texts.join("")).toContain('"big":9223372036854775807');
  expect(texts.join("")).toContain('"huge":1234567890.12345678901234567890');
  expect(change?.columns.slice(1).map(({ type }) => type)).toEqual([
    "_mood",
    "pair",
    "positive",
    "interval",
    "money",
    "_bytea",
    "_float8",
    "int8",
    "numeric",
    "numeric",
    "_uuid",
    "timestamptz",
    "_timestamp",
    "tstzrange",
    "json",
    "_jsonb",
    "bpchar",
    "timestamptz",
  ]);
});
