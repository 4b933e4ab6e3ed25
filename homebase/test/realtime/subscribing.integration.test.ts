/** Subscribing to row changes: parameters, filters, errors, renewal (docs/compat/realtime.md 13). */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig, changes, on, rows } from "./change-rig.ts";
import { type Payload, PhoenixSocket } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);

/** The error of a subscription. */
async function refusal(...elements: unknown[]): Promise<string> {
  using socket = await PhoenixSocket.open(backend);
  const { topic } = await socket.join(
    "refused",
    { postgres_changes: elements },
    { access_token: await rig.token() },
  );
  const [, , , , payload] = await socket.wait(([, , at, event]) => at === topic && event === "system");
  expect(payload).toMatchObject({ extension: "postgres_changes", status: "error", channel: "refused" });
  // The channel itself stays open.
  await socket.settle();
  expect(socket.heard("phx_close")).toEqual([]);
  return String(payload.message);
}

test("the reply repeats each element as it was sent with a number, equal ones with equal numbers", async () => {
  await rig.table("replied", "id int primary key");
  using socket = await PhoenixSocket.open(backend);
  const odd = { table: "replied", schema: "public", event: "insert", extra: { deep: [1] } };
  const { response } = await socket.join("reply", { postgres_changes: [odd, null, on("replied"), odd] });
  const [first, second, third] = response.postgres_changes as { id: number }[];
  expect(response.postgres_changes).toEqual([
    { ...odd, id: first?.id },
    { ...on("replied"), id: second?.id },
    { ...odd, id: first?.id },
  ]);
  expect(third?.id).toBeGreaterThan(0);
  expect(second?.id).not.toBe(first?.id);
});

test("one frame a channel carries all numbers of its subscriptions that match", async () => {
  await rig.table("several", "id int primary key, body text");
  using socket = await rig.listener([
    on("several"),
    { event: "INSERT", schema: "public", table: "several", filter: "id=eq.1" },
    { event: "UPDATE", schema: "public", table: "several" },
  ]);
  const [{ response }] = socket.heard("phx_reply") as [Payload];
  const ids = (response as { postgres_changes: { id: number }[] }).postgres_changes.map(({ id }) => id);
  await backend.sql("insert into several values (1, 'a'), (2, 'b')");
  await changes(socket, 2);
  const frames = socket.heard("postgres_changes");
  expect(frames[0]?.ids).toEqual([ids[0], ids[1]]);
  expect(frames[1]?.ids).toEqual([ids[0]]);
});

test("each event reaches those who asked for it, whatever the case; another word means all", async () => {
  await rig.table("events", "id int primary key, body text");
  const sockets = await Promise.all(
    ["insert", "UPDATE", "Delete", "*", "truncate"].map((event) => rig.listener([on("events", { event })])),
  );
  await backend.sql("insert into events values (1, 'a')");
  await changes(sockets[3] as PhoenixSocket, 1);
  await backend.sql("update events set body = 'b'");
  await changes(sockets[3] as PhoenixSocket, 2);
  await backend.sql("delete from events");
  await changes(sockets[3] as PhoenixSocket, 3);
  expect(sockets.map((socket) => socket.changes.map(({ type }) => type).join())).toEqual([
    "INSERT",
    "UPDATE",
    "DELETE",
    "INSERT,UPDATE,DELETE",
    "INSERT,UPDATE,DELETE",
  ]);
  for (const socket of sockets) socket.close();
});

test("schema alone means all its tables, table alone the public one, and an underscore any character", async () => {
  await backend.sql("create schema other; grant usage on schema other to authenticated");
  await backend.sql(
    "create table other.ab_c (id int primary key); grant select on other.ab_c to authenticated",
  );
  await backend.sql("alter publication supabase_realtime add table other.ab_c");
  await rig.table("ab_c", "id int primary key");
  await rig.table("abxc", "id int primary key");
  const sockets = await Promise.all([
    rig.listener([{ event: "*", schema: "other" }]),
    rig.listener([{ event: "*", table: "ab_c" }]),
    rig.listener([{ event: "*", schema: "*", table: "abxc" }]),
    rig.listener([{ event: "*", schema: "public", table: "ab%" }]),
  ]);
  await backend.sql(
    "insert into other.ab_c values (1); insert into ab_c values (2); insert into abxc values (3)",
  );
  await changes(sockets[0] as PhoenixSocket, 1);
  await changes(sockets[1] as PhoenixSocket, 2);
  expect(sockets.map((socket) => rows(socket).map((row) => row?.id))).toEqual([[1], [2, 3], [3], [2, 3]]);
  for (const socket of sockets) socket.close();
});

const FILTERS: [filter: string, ids: number[]][] = [
  ["name=eq.pear", [2]],
  ["name=neq.pear", [1, 3, 5]],
  ["n=lt.3", [1, 2]],
  ["n=lte.3", [1, 2, 3]],
  ["n=gt.3", [4, 5]],
  ["n=gte.3", [3, 4, 5]],
  ["name=gt.m", [2, 3]],
  ["n=in.(1, 4)", [1, 4]],
  ['name=in.("pear",Plum)', [2, 3]],
  ["name=in.()", []],
  ["name=like.p%", [2]],
  ["name=ilike.p%", [2, 3]],
  ["name=match.^p.*r$", [2]],
  ["name=imatch.^P", [2, 3]],
  ["name=is.null", [4]],
  ["name=not.is.null", [1, 2, 3, 5]],
  ["flag=is.true", [1]],
  ["flag=not.is.true", [2, 3, 4, 5]],
  ["flag=is.unknown", [3, 4, 5]],
  ["flag=eq.f", [2]],
  ["name=isdistinct.pear", [1, 3, 4, 5]],
  ["name=not.isdistinct.pear", [2]],
  ["name=not.eq.pear", [1, 3, 5]],
  ["name=not.in.(pear,apple)", [3, 5]],
  ["name=not.like.p%", [1, 3, 5]],
  ["n=gt.1,n=lt.4", [2, 3]],
  ["n=gt.1,name=not.ilike.pl%", [2, 5]],
  ['name=eq."a, ""b"', []],
  ['name=eq."a, \\"b\\""', [5]],
  ['name=in.("a, \\"b\\"",apple)', [1, 5]],
  ["price=eq.1.50", [1]],
  ["price=gt.1.6", [2]],
  ["at=lt.2024-02-01", [1]],
  ['tags=eq."{x,y}"', [1]],
  ["own=eq.11111111-1111-1111-1111-111111111111", [1]],
  ["  ", [1, 2, 3, 4, 5]],
];

test("every filter operator, negated and joined, compares as Postgres does; null passes no comparison", async () => {
  await rig.table(
    "filtered",
    "n int primary key, name text, flag boolean, price numeric(6,2), at timestamptz, tags text[], own uuid",
  );
  const sockets = await Promise.all(FILTERS.map(([filter]) => rig.listener([on("filtered", { filter })])));
  await backend.sql(
    `insert into filtered values (1, 'apple', true, 1.5, '2024-01-01', '{x,y}', '${ANA}'),
       (2, 'pear', false, 2, '2024-03-01', '{}', gen_random_uuid());
     insert into filtered values (3, 'Plum'), (4, null), (5, 'a, "b"')`,
  );
  await changes(sockets.at(-1) as PhoenixSocket, 5);
  expect(sockets.map((socket, index) => [FILTERS[index]?.[0], rows(socket).map((row) => row?.n)])).toEqual(
    FILTERS,
  );
  for (const socket of sockets) socket.close();
});

test("what cannot be subscribed to is refused in hosted's words", async () => {
  await rig.table("checked", "id int primary key, body text, bits bytea, secret text");
  await backend.sql(
    "revoke select on checked from authenticated; grant select (id, body, bits) on checked to authenticated",
  );
  await backend.sql("create table public.unpublished (id int primary key)");
  const grammar = (filter: string) => refusal(on("checked", { filter }));
  expect(await grammar("id=foo.hey")).toBe('Error parsing `filter` params: ["foo", "hey"]');
  expect(await grammar("undefined")).toBe('Error parsing `filter` params: ["undefined"]');
  expect(await grammar("id=eq")).toBe('Error parsing `filter` params: ["eq"]');
  expect(await grammar("id=gt.0,,id=lt.9")).toBe(
    "Error parsing `filter` params: filter must not contain empty segments (check for extra commas)",
  );
  expect(await grammar("id=in.1,2")).toBe(
    "Error parsing `filter` params: `in` filter value must be wrapped by parentheses",
  );
  expect(await refusal(on("checked", { select: "id" }))).toBe(
    'Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]',
  );
  expect(await refusal({ schema: "public", select: ["id"] })).toBe(
    "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.",
  );
  expect(await refusal({ event: "*", filter: "id=eq.1" })).toBe(
    'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: %{"event" => "*", "filter" => "id=eq.1"}',
  );
  const unable = "Unable to subscribe to changes with given parameters.";
  expect(await refusal(on("unpublished"))).toBe(
    `${unable} Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: unpublished, filters: [], select: nil]`,
  );
  const exception = (filters: string, select: string, error: string) =>
    `${unable} An exception happened so please check your connect parameters: [event: *, schema: public, table: checked, filters: ${filters}, select: ${select}]. Exception: ERROR ${error}`;
  expect(await grammar("id=eq.hey")).toBe(
    exception(
      '[{"id", "eq", "hey", false}]',
      "nil",
      '22P02 (invalid_text_representation) invalid input syntax for type integer: "hey"',
    ),
  );
  expect(await grammar("secret=eq.x")).toBe(
    exception(
      '[{"secret", "eq", "x", false}]',
      "nil",
      "P0001 (raise_exception) invalid column for filter secret",
    ),
  );
  // Upstream has no filters inside of JSON (supabase/realtime, issue 1090): the whole is the name of a column.
  expect(await grammar("data->>key=eq.x")).toBe(
    exception(
      '[{"data->>key", "eq", "x", false}]',
      "nil",
      "P0001 (raise_exception) invalid column for filter data->>key",
    ),
  );
  expect(await grammar("id=like.1%")).toBe(
    exception(
      '[{"id", "like", "1%", false}]',
      "nil",
      "P0001 (raise_exception) operator like requires a text-compatible column type, got integer",
    ),
  );
  expect(await grammar("body=is.true")).toBe(
    exception(
      '[{"body", "is", "true", false}]',
      "nil",
      "P0001 (raise_exception) is true filter requires a boolean column, got text",
    ),
  );
  expect(await grammar("body=is.maybe")).toContain(
    "invalid value for is filter: must be null, true, false, or unknown",
  );
  expect(await grammar("body=match.[")).toContain(
    "(raise_exception) invalid regular expression for match filter:",
  );
  const many = `(${Array.from({ length: 101 }, (_, index) => index).join()})`;
  expect(await grammar(`id=in.${many}`)).toContain(
    "P0001 (raise_exception) too many values for `in` filter. Maximum 100",
  );
  expect(await refusal(on("checked", { select: ["id", "secret"] }))).toBe(
    exception("[]", '["id", "secret"]', "P0001 (raise_exception) invalid column for select secret"),
  );
  // One invalid subscription fails all of them.
  expect(await refusal(on("checked"), on("unpublished"))).toContain("table: unpublished");
  expect(await backend.sql("select 1 from realtime.subscription where entity = 'checked'::regclass")).toEqual(
    [],
  );
});

test("a list of a hundred long values is a filter like any other, stored again with a new token", async () => {
  await rig.table("listed", "id uuid primary key");
  const ids = Array.from({ length: 100 }, () => randomUUID());
  using socket = await PhoenixSocket.open(backend);
  const { topic, ref } = await socket.subscribe(
    "listed",
    [on("listed", { filter: `id=in.(${ids.join(",")})` })],
    { access_token: await rig.token() },
  );
  const before = socket.heard("system").length;
  socket.push(topic, "access_token", { access_token: await rig.token("somebody") }, ref);
  await expect.poll(() => socket.heard("system").length).toBeGreaterThan(before);
  expect(socket.heard("system").at(-1)).toMatchObject({ message: "Subscribed to PostgreSQL" });
  await backend.sql("insert into listed values (gen_random_uuid()), ($1)", [ids[99]]);
  expect((await changes(socket, 1)).map(({ record }) => record)).toEqual([{ id: ids[99] }]);
});

test("a selection shows its columns and always the key", async () => {
  await rig.table("selected", "id int primary key, body text, more text");
  using socket = await rig.listener([on("selected", { select: ["body"] })]);
  await backend.sql("insert into selected values (1, 'a', 'b')");
  const [change] = await changes(socket, 1);
  expect(change?.record).toEqual({ id: 1, body: "a" });
  expect(change?.columns.map(({ name }) => name)).toEqual(["id", "body"]);
});

test("a table that is published while somebody waits for it is subscribed to, and told so", async () => {
  await backend.sql("create table public.awaited (id int primary key)");
  using socket = await PhoenixSocket.open(backend);
  await socket.join("awaited", { postgres_changes: [on("awaited")] }, { access_token: await rig.token() });
  await socket.wait(([, , , event, { status }]) => event === "system" && status === "error");
  await backend.sql("alter publication supabase_realtime add table public.awaited");
  await socket.wait(
    ([, , , event, { message }]) => event === "system" && message === "Subscribed to PostgreSQL",
  );
  await backend.sql("insert into awaited values (1)");
  await changes(socket, 1);
});

test("the log says once that a table is not published, and how to publish it", async () => {
  await rig.table("silent", "id int primary key");
  await backend.sql("alter publication supabase_realtime drop table silent");
  await refusal(on("silent"));
  await refusal(on("silent"));
  await refusal(on('odd\nname"'));
  const said = backend.logs.filter(({ message }) => /(silent|odd).* is not in the publication/.test(message));
  expect(said.map(({ level, message }) => [level, message])).toEqual([
    [
      "warn",
      "A client subscribes to row changes of public.silent and gets none: it is not in the publication supabase_realtime. To publish it: alter publication supabase_realtime add table public.silent;",
    ],
    ["warn", expect.stringContaining('public."odd?name""" and gets none')],
  ]);
});

test("a join may wait for its subscription, and is then refused with its fault", async () => {
  await rig.table("waited", "id int primary key");
  using socket = await PhoenixSocket.open(backend);
  const wait = (table: string, timeout = 5_000) => ({
    postgres_changes: [on(table)],
    postgres_changes_options: { wait: true, timeout },
  });
  expect((await socket.join("waiting", wait("nowhere"))).response.reason).toBe(
    "RealtimeDisabledForConfiguration: Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: nowhere, filters: [], select: nil]",
  );
  const joined = await socket.join("waiting", wait("waited"));
  expect(joined.status).toBe("ok");
  await backend.sql("insert into waited values (1)");
  await changes(socket, 1);
  // A later look at the publications may renew it, and tells so again.
  expect(socket.heard("system")[0]).toMatchObject({ status: "ok", message: "Subscribed to PostgreSQL" });
});

test("a new token's claims are judged by, and subscribing is told again", async () => {
  const BO = "22222222-2222-2222-2222-222222222222";
  await rig.table(
    "owned",
    "id int primary key, owner uuid",
    "alter table owned enable row level security; create policy own on owned for select using (owner = auth.uid())",
  );
  using socket = await PhoenixSocket.open(backend);
  const { topic, ref } = await socket.subscribe("owned", [on("owned")], { access_token: await rig.token() });
  socket.push(topic, "access_token", { access_token: await rig.token(BO) }, ref);
  const stored = () =>
    backend.sql("select claims ->> 'sub' as sub from realtime.subscription where entity = 'owned'::regclass");
  await expect.poll(stored).toEqual([{ sub: BO }]);
  await expect.poll(() => socket.heard("system").length).toBeGreaterThan(1);
  await backend.sql(`insert into owned values (1, '${ANA}'), (2, '${BO}')`);
  expect((await changes(socket, 1))[0]?.record).toMatchObject({ id: 2 });
  expect(await stored()).toEqual([{ sub: BO }]);
});

test("subscriptions are in the table while they last", async () => {
  await rig.table("counted", "id int primary key");
  const count = async () =>
    (await backend.sql("select 1 from realtime.subscription where entity = 'counted'::regclass")).length;
  const socket = await rig.listener([
    on("counted"),
    on("counted", { event: "INSERT", filter: "id=gt.1,id=lt.9" }),
  ]);
  expect(await count()).toBe(2);
  const [row] = await backend.sql<{ filters: string; role: string }>(
    "select filters::text, claims_role::text as role from realtime.subscription where action_filter = 'INSERT' and entity = 'counted'::regclass",
  );
  expect(row).toEqual({ filters: '{"(id,lt,9,f)","(id,gt,1,f)"}', role: "authenticated" });
  socket.close();
  await expect.poll(count).toBe(0);
});
