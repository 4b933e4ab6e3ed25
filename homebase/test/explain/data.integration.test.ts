/** `homebase-stack/explain`: the shape of what programs get, and verdicts beside REST's answers. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { explain as explainAsked } from "../../src/explain/index.ts";
import type { Because } from "../../src/explain/verdicts.ts";
import { explain, judge, parts } from "../../src/stack/explain.ts";
import { createBackend } from "../../src/testing/index.ts";
import { runningOptions } from "../../src/tools/why-request.ts";
import { forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { readPage } from "./page.ts";

await useOwnCluster();

const { files } = readPage();
const ANA = "00000000-0000-4000-8000-0000000000a1";
const caller = { role: "authenticated", claims: { sub: ANA, role: "authenticated" } };
const backend = await forThisFile(createBackend({ bare: true }));
let db: pg.Client;

beforeAll(async () => {
  await backend.sql(files["migrations/1_notes.sql"] ?? "");
  await backend.sql(files["seed.sql"] ?? "");
  await backend.sql(`
    create table public.seats (team int, label text, at timestamptz default '2026-01-01 14:00+00', primary key (team, label));
    alter table public.seats enable row level security;
    insert into public.seats values (1, 'a,b'), (1, 'c'), (2, 'a,b');
    grant select on public.seats to authenticated;
    create policy "own team, by the role's clock" on public.seats for select to authenticated
      using (team in (select private.my_teams()) and extract(hour from at) < 12);
    alter role authenticated set timezone = 'America/New_York';
    create table public.keyless (id int);
    create table public.closed (id uuid primary key); insert into public.closed values ('${ANA}');
    alter table public.closed enable row level security; revoke all on public.closed from authenticated;
    create table public.open (id int primary key); insert into public.open values (1); grant select on public.open to authenticated;
    create table public.raises (id int primary key); insert into public.raises values (0), (1);
    alter table public.raises enable row level security; grant select on public.raises to authenticated;
    create policy "divides" on public.raises for select using (1 / id > 0)`);
  db = new pg.Client(backend.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await backend.sql("alter role authenticated reset timezone");
  await db.end();
});

async function answered(path: string): Promise<Record<string, unknown>[]> {
  const exp = Math.floor(backend.clock.now() / 1000) + 3600;
  const token = await backend.backend.keys.sign({ ...caller.claims, aud: "authenticated", exp });
  const answer = await fetch(`${backend.url}/rest/v1/${path}`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
  });
  return (await answer.json()) as Record<string, unknown>[];
}

const Table = z.strictObject({ schema: z.string(), name: z.string() });
const Part = z.strictObject({
  table: Table,
  policy: z.string(),
  kind: z.enum(["using", "check"]),
  text: z.string(),
});
const Parts = z.strictObject({ version: z.literal(1), parts: z.record(z.string(), Part) });
const Verdicts = z.strictObject({
  version: z.literal(1),
  table: Table,
  command: z.enum(["select", "update", "delete"]),
  granted: z.boolean(),
  rowSecurity: z.enum(["on", "off", "bypassed", "owner"]),
  verdicts: z.array(
    z.strictObject({
      key: z.array(z.union([z.string(), z.number(), z.boolean()])),
      exists: z.boolean(),
      visible: z.boolean().nullable(),
      group: z.number().optional(),
    }),
  ),
  groups: z.array(
    z.strictObject({
      visible: z.boolean(),
      verdicts: z.record(z.string(), z.boolean().nullable()),
      errors: z.record(z.string(), z.string()).optional(),
      reason: z.array(z.string()),
    }),
  ),
  parts: z.record(z.string(), Part),
});

const Rows = z.strictObject({
  rows: z.string().optional(),
  table: Table.optional(),
  role: z.string(),
  command: z.enum(["select", "insert", "update", "delete"]),
  candidates: z.number(),
  cut: z.string().optional(),
  policies: z.array(z.string()),
  groups: z.array(
    Verdicts.shape.groups.element.extend({
      count: z.number(),
      keys: z.array(z.record(z.string(), z.string())),
      because: z.array(z.lazy(() => Reason)).optional(),
    }),
  ),
});
const Value = z.strictObject({ text: z.string(), value: z.string().nullable() });
const Reason: z.ZodType<Because> = z.strictObject({
  part: z.string().optional(),
  text: z.string().optional(),
  verdict: z.boolean().nullable(),
  error: z.string().optional(),
  values: z.array(Value).optional(),
  looked: z
    .strictObject({
      tables: z.array(Table),
      link: z.array(z.strictObject({ text: z.string(), value: z.string().nullable().optional() })),
      linked: z.number(),
      conditions: z.array(z.strictObject({ text: z.string(), count: z.number() })),
      found: z.number(),
      seen: z.number().optional(),
    })
    .optional(),
  inside: z
    .strictObject({ call: z.string(), runsAs: z.string(), because: z.array(z.lazy(() => Reason)) })
    .optional(),
  ran: z
    .array(
      z.strictObject({
        text: z.string(),
        found: z.array(z.strictObject({ table: Table, rows: z.number(), withoutRowSecurity: z.number() })),
      }),
    )
    .optional(),
  within: z
    .strictObject({ branch: z.string().optional(), because: z.array(z.lazy(() => Reason)) })
    .optional(),
  hidden: z.array(z.strictObject({ table: Table, because: z.array(z.lazy(() => Reason)) })).optional(),
  note: z.string().optional(),
}) as z.ZodType<Because>;
const Explanation = z.strictObject({
  version: z.literal(1),
  asked: z.strictObject({
    method: z.string(),
    path: z.string(),
    role: z.string(),
    user: z.string().optional(),
  }),
  sentences: z.array(
    z.strictObject({
      text: z.string(),
      kind: z.enum([
        "answer",
        "refused",
        "hidden",
        "filtered",
        "absent",
        "allowed",
        "changed",
        "unknown",
        "note",
      ]),
      table: Table.optional(),
      policy: z.string().optional(),
      part: z.string().optional(),
      sql: z.string().optional(),
      further: z
        .strictObject({ option: z.enum(["--replay", "--upsert"]), does: z.string().min(1) })
        .optional(),
    }),
  ),
  tables: z.array(
    z.strictObject({
      table: Table,
      embed: z.string().optional(),
      about: z.string().optional(),
      command: z.enum(["select", "insert", "update", "delete"]),
      granted: z.boolean(),
      rowSecurity: z.enum(["on", "off", "bypassed", "owner"]),
      row: z
        .strictObject({
          key: z.string(),
          exists: z.boolean(),
          filters: z.array(z.strictObject({ text: z.string(), met: z.boolean().nullable() })),
        })
        .optional(),
      judged: z.array(Rows),
    }),
  ),
  parts: z.record(z.string(), Part),
  inside: z
    .array(z.strictObject({ text: z.string(), rows: z.number().optional(), withoutRowSecurity: z.number() }))
    .optional(),
});

/** The explanation as a program reads it, of the shape that is promised. */
async function explained(request: Parameters<typeof explain>[1], options?: Parameters<typeof explain>[2]) {
  const text = JSON.stringify(await explain(db, request, options));
  const { sentences, ...rest } = Explanation.parse(JSON.parse(text));
  return { ...rest, sentences, bytes: Buffer.byteLength(text), kinds: sentences.map(({ kind }) => kind) };
}

test("the parts of policies have ids that say where they stand", async () => {
  const all = Parts.parse(JSON.parse(JSON.stringify(await parts(db, "notes"))));
  expect(all.parts).toEqual({
    "public.notes/members read notes/using": expect.objectContaining({ policy: "members read notes" }),
    "public.notes/members write notes/check/1": expect.objectContaining({ kind: "check" }),
    "public.notes/members write notes/check/2": expect.objectContaining({ text: "archived = false" }),
  });
  expect(Object.keys((await parts(db)).parts)).toEqual(expect.arrayContaining(Object.keys(all.parts)));
});

test("each key has a verdict, in the order of the keys, as REST answers", async () => {
  const keys = [3, 99, "1", 2, 4, 2];
  const found = Verdicts.parse(JSON.parse(JSON.stringify(await judge(db, caller, "notes", keys))));
  const seen = (await answered("notes?select=id")).map(({ id }) => String(id));
  expect(found.verdicts.map(({ key }) => key)).toEqual(keys.map((key) => [key]));
  expect(found.verdicts.map(({ exists, visible }) => [exists, visible])).toEqual(
    keys.map((key) => [key !== 99, seen.includes(String(key))]),
  );
  const hidden = found.groups[found.verdicts[0]?.group ?? -1];
  expect(hidden).toEqual({
    visible: false,
    verdicts: { "public.notes/members read notes/using": false },
    reason: ["public.notes/members read notes/using"],
  });
});

test("composite keys are arrays, and the role's settings count as in a request", async () => {
  const keys = [
    [2, "a,b"],
    [1, "c"],
    [1, "a,b"],
    [1, 'no"ne'],
  ];
  const found = Verdicts.parse(await judge(db, caller, "public.seats", keys));
  expect(found.verdicts).toMatchObject([
    { key: [2, "a,b"], exists: true, visible: false },
    { key: [1, "c"], exists: true, visible: true },
    { key: [1, "a,b"], exists: true, visible: true },
    { key: [1, 'no"ne'], exists: false, visible: false },
  ]);
  expect(await answered("seats?select=team,label&order=label")).toEqual([
    { team: 1, label: "a,b" },
    { team: 1, label: "c" },
  ]);
});

test("keys are compared as the column's type, not as text", async () => {
  const [verdict] = (await judge(db, caller, "closed", [ANA.toUpperCase()])).verdicts;
  expect(verdict).toMatchObject({ exists: true });
});

test("without a grant nothing is visible, without row security everything, and an error is told with its part", async () => {
  expect(await judge(db, caller, "closed", [ANA])).toMatchObject({
    granted: false,
    verdicts: [{ exists: true, visible: false }],
  });
  expect(await judge(db, caller, "open", [1])).toMatchObject({
    rowSecurity: "off",
    verdicts: [{ exists: true, visible: true }],
    parts: {},
  });
  const raised = Verdicts.parse(await judge(db, caller, "raises", [1, 0]));
  expect(raised.verdicts.map(({ visible }) => visible)).toEqual([true, false]);
  expect(raised.groups[raised.verdicts[1]?.group ?? -1]?.errors).toEqual({
    "public.raises/divides/using": "division by zero",
  });
});

test("what is no key of the table is refused with what it is", async () => {
  await expect(judge(db, caller, "keyless", [1])).rejects.toThrow("keyless has no primary key");
  await expect(judge(db, caller, "seats", [1])).rejects.toThrow("The primary key of seats is team, label");
  await expect(judge(db, caller, "notes", ["x"])).rejects.toThrow("invalid input syntax for type integer");
  await expect(judge(db, caller, "nowhere", [1])).rejects.toThrow("There is no table public.nowhere");
  await expect(
    judge(
      db,
      caller,
      "notes",
      Array.from({ length: 1_001 }, (_, at) => at),
    ),
  ).rejects.toThrow("At most 1000 keys");
  expect(await db.query("select 1 as still")).toMatchObject({ rows: [{ still: 1 }] });
});

test("a thousand keys have a thousand verdicts, and the parts stand once", async () => {
  await backend.sql("insert into public.notes select n, n % 3 from generate_series(1000, 1999) n");
  const keys = Array.from({ length: 1_000 }, (_, at) => 1_999 - at);
  const found = await judge(db, caller, "notes", keys);
  const seen = new Set((await answered("notes?select=id&id=gte.1000")).map(({ id }) => id));
  expect(found.verdicts.map(({ visible }) => visible)).toEqual(keys.map((key) => seen.has(key)));
  expect(found.groups).toHaveLength(2);
  // For seven rows: the parts once, and a verdict of some fifty bytes for each key.
  expect(JSON.stringify(await judge(db, caller, "notes", keys.slice(0, 7))).length).toBeLessThan(1_500);
  await backend.sql("delete from public.notes where id >= 1000");
});

test("an explanation says of each sentence what it is, whose rule, which part, and the statement that would change it", async () => {
  const hidden = await explained({ ...caller, method: "GET", path: "/rest/v1/notes?order=id" });
  const part = "public.notes/members read notes/using";
  const about = { table: { schema: "public", name: "notes" }, policy: "members read notes", part };
  expect(hidden.sentences).toMatchObject([
    { kind: "hidden", ...about },
    { kind: "hidden", ...about },
    { kind: "allowed" },
  ]);
  expect(hidden.tables[0]).toMatchObject({ command: "select", granted: true, rowSecurity: "on" });
  const group = hidden.tables[0]?.judged[0]?.groups.find(({ visible }) => !visible);
  expect(group).toMatchObject({ count: 2, keys: [{ id: "2" }, { id: "3" }], reason: [part] });
  expect(group?.because?.[0]).toMatchObject({
    part,
    verdict: false,
    inside: { call: "private.my_teams", because: [{ looked: { linked: 1, found: 0 } }] },
  });
  expect(Object.keys(hidden.parts)).toEqual([part]);

  const refused = await explained({ method: "GET", path: "/rest/v1/comments" });
  const [{ sql } = {}] = refused.sentences;
  expect([refused.kinds, sql]).toEqual([["refused"], 'grant select on "public"."comments" to anon;']);
  await db.query(`begin; ${sql}`);
  const { rows } = await db.query("select has_table_privilege('anon', 'public.comments', 'select') as may");
  await db.query("rollback");
  expect(rows).toEqual([{ may: true }]);
});

test.each([
  ["a page", { path: "/rest/v1/notes?order=id&limit=1" }, ["hidden", "hidden", "allowed", "filtered"]],
  ["a row that is not there", { path: "/rest/v1/notes?id=eq.99" }, ["absent"]],
  ["a channel", { method: "JOIN", path: "room:1" }, ["refused", "refused", "refused"]],
  [
    "a table that is not published",
    { method: "EVENT", path: "public.notes" },
    ["absent", "hidden", "hidden"],
  ],
  ["a refused upload", { method: "POST", path: "/storage/v1/object/pictures/a.png" }, ["refused", "note"]],
  [
    "a refused write",
    { method: "POST", path: "/rest/v1/notes", body: '{"id":5,"team_id":2}' },
    ["refused", "refused"],
  ],
])("the kinds of %s", async (_, request, kinds) => {
  expect((await explained({ ...caller, method: "GET", ...request })).kinds).toEqual(kinds);
});

test("what an option of the command adds stands beside the sentence, and its text names no option", async () => {
  await db.query(
    "create function public.note_all() returns void language sql as 'update public.notes set id = id'",
  );
  const asked = { ...caller, method: "POST", body: "{}" };
  const upload = await explained({ ...asked, path: "/storage/v1/object/pictures/a.png" });
  const called = await explained({ ...asked, path: "/rest/v1/rpc/note_all" });
  const told = [...upload.sentences, ...called.sentences];
  expect(told.flatMap(({ further }) => further?.option ?? [])).toEqual(["--upsert", "--replay"]);
  expect(told.filter(({ text }) => /--(?:replay|upsert)/.test(text))).toEqual([]);
});

test("seven rows take at most 4 KB", async () => {
  await backend.sql("insert into public.notes values (11, 1, 'a'), (12, 2, 'b'), (13, 3, 'c')");
  const { bytes, tables } = await explained({ ...caller, method: "GET", path: "/rest/v1/notes" });
  await backend.sql("delete from public.notes where id > 10");
  expect(tables[0]?.judged[0]?.candidates).toBe(7);
  expect(bytes).toBeLessThanOrEqual(4096);
});

test("what the running stack knows of the schema is not read again, and gives the same answer", async () => {
  const asked = { ...caller, method: "GET", path: "/rest/v1/notes?select=title,comments(*)" };
  const queries: string[] = [];
  const own = db.query.bind(db) as (...given: unknown[]) => unknown;
  const watched = new Proxy(db, {
    get: (target, name) => {
      if (name !== "query") return Reflect.get(target, name);
      return (...given: [string | { text: string }]) => {
        queries.push(typeof given[0] === "string" ? given[0] : given[0].text);
        return own(...given);
      };
    },
  });
  const { api, running } = runningOptions(backend.backend, backend.backend.config);
  const found = await explainAsked(watched, asked, { api, ...(running ? { running } : {}) });
  const withRunning = queries.splice(0).length;
  expect(found).toEqual(await explainAsked(watched, asked, { api }));
  expect(queries.length - withRunning).toBe(2);
});

test("the last request of a test is explained as data", async () => {
  await answered("notes?select=id&id=eq.2");
  const { sentences, asked } = await backend.explain({ row: "2" });
  expect([asked.path, sentences[0]?.kind]).toEqual(["/rest/v1/notes?select=id&id=eq.2", "hidden"]);
  await answered("rpc/open_notes?team=2");
  expect((await backend.explain()).inside).toEqual([
    expect.objectContaining({ rows: 0, withoutRowSecurity: 1 }),
  ]);
});
