/**
 * Rows as a lens sees them, beside REST's own answers, and what a save touches. One seed a case, which a failure names;
 * `DATA_CASES=2000` runs more of them.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { connected } from "../../../src/postgres/connected.ts";
import { as } from "../../../src/rest/execute/as.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { Random, randomCase, SCHEMA } from "../../../test/explain/generated-policies.ts";
import { clientForThisFile, forThisFile } from "../../../test/for-this-file.ts";
import { useOwnCluster } from "../../../test/own-cluster.ts";
import type { Change, Lens } from "../server/api.ts";
import { preparedOf } from "../server/data/lens.ts";
import { rowOf, rowsAs, rowsOf } from "../server/data/rows.ts";
import { readTable } from "../server/data/tables.ts";
import { conditionOf } from "../server/data/where.ts";
import { write } from "../server/data/write.ts";
import type { Source } from "../server/owner-connections.ts";
import { Reasons } from "../server/why.ts";

await useOwnCluster();

const CASES = Number(process.env.DATA_CASES ?? 100);
const ITEMS = { schema: "gen", name: "items" };
const POSTGRES: Lens = { kind: "postgres" };

const backend = await forThisFile(
  createBackend({ bare: true, config: { api: { schemas: ["public", "gen"] } } }),
);
const db = await clientForThisFile(backend.databaseUrl);
const source: Source = { backend: backend.backend };

beforeAll(async () => {
  await backend.sql(`${SCHEMA}; grant gen_owner to authenticator; notify pgrst, 'reload schema';
    create table public.shelves (id int primary key, label text not null);
    create table public.books (shelf int references public.shelves, no int, title text, pages int, note text,
      added timestamptz default '2026-01-01', upper text generated always as (upper(title)) stored, primary key (shelf, no));
    create table public.loans (id int primary key, no int, shelf int, who text, foreign key (shelf, no) references public.books);
    create view public.titles as select title from public.books;
    create table public.loose (what text);
    create domain public.level as int;
    create table public.kinds (id bigint primary key, label uuid, open boolean, "array" text, depth public.level, day date);
    insert into public.kinds values (10, 'feedabad-0000-4000-8000-000000000001', true, 'Łódź', 7, '2025-08-31'),
      (-20, 'feedabad-0000-4000-8000-000000000002', false, 'A_b', 77, null), (30, null, null, null, null, 'infinity');
    insert into public.loose values ('a'), ('b');
    alter table public.books enable row level security;
    alter table public.loose enable row level security;
    create policy long on public.books to authenticated using (pages > 100) with check (pages > 100);
    create policy a on public.loose using (what = 'a');
    revoke all on all tables in schema public from anon, authenticated;
    grant select, insert, update, delete on public.books, public.loose, public.titles to authenticated;
    grant select (id) on public.shelves to authenticated;`);
});

describe("odd tables", () => {
  const odd = (name: string) => ({ schema: "public", name });
  const rows = (name: string, where = "", as: Lens = POSTGRES) =>
    rowsOf(source, { as, table: odd(name), where });

  test("many rows are estimated where Postgres has statistics and there is no filter, else told as a least number", async () => {
    await backend.sql(`create table public.many (id int primary key) with (autovacuum_enabled = off);
      insert into public.many select generate_series(1, 10001)`);
    expect((await rows("many")).total).toEqual({ count: 10_000, as: "least" });
    await backend.sql("analyze public.many");
    expect((await rows("many")).total).toEqual({ count: 10_001, as: "estimate" });
    expect((await rows("many", "id>0")).total).toEqual({ count: 10_000, as: "least" });
  });

  test("a key that is longer than a cell is whole, so that no other row is changed", async () => {
    await backend.sql(`create table public.long_keys (key text primary key, note text);
      insert into public.long_keys values (repeat('k', 200), 'short'), (repeat('k', 300), 'long');`);
    const { rows: found, keys } = await rows("long_keys");
    const at = found.findIndex(([, note]) => note === "long");
    expect(found[at]?.[0]).toHaveLength(200);
    expect(keys[at]).toEqual(["k".repeat(300)]);
    const change: Change = { kind: "delete", table: odd("long_keys"), key: keys[at] ?? [] };
    await write(source, { as: POSTGRES, changes: [change], save: true });
    expect((await rows("long_keys")).rows).toEqual([["k".repeat(200), "short"]]);
  });

  test("a value that is longer than the details show is marked as cut", async () => {
    await backend.sql(`create table public.huge (id int primary key, small text, large text);
      insert into public.huge values (1, 'all', repeat('x', 70000));`);
    const { values, cut } = await rowOf(source, { table: odd("huge"), key: ["1"] });
    expect([values?.[2]?.length, cut]).toEqual([65_536, [2]]);
  });

  test("columns and values with spaces, quotes and operators are found by the filter", async () => {
    await backend.sql(`create table public.spaced ("a b" text, "say ""x""" text, "e=f" text, "null" text);
      insert into public.spaced values ('x y', 'he said "hi"', '1', 'null'), ('z', 'z', '2', null);`);
    const found = async (where: string) => (await rows("spaced", where)).rows.map(([first]) => first);
    expect(await found('"a b"="x y"')).toEqual(["x y"]);
    expect(await found('"a b"!=z')).toEqual(["x y"]);
    expect(await found('"say ""x"""="he said ""hi"""')).toEqual(["x y"]);
    expect(await found('"e=f">1')).toEqual(["z"]);
    expect(await found('"null"="null"')).toEqual(["x y"]);
    expect(await found('"he said"')).toEqual(["x y"]);
    await expect(rows("spaced", '"no such"=1')).rejects.toThrow("spaced has no column no such.");
  });

  test("an identity that takes a value needs none", async () => {
    await backend.sql("create table public.numbered (id int generated by default as identity primary key)");
    const { columns } = await connected({ connectionString: backend.databaseUrl }, (client) =>
      readTable(client, odd("numbered"), []),
    );
    expect(columns).toMatchObject([{ name: "id", made: false, default: "the next number" }]);
  });

  test("a schema whose name no header can have as it is has its rows", async () => {
    await backend.sql(`create schema "🚢"; create table "🚢".logs (id int primary key); insert into "🚢".logs values (1);
      grant usage on schema "🚢" to authenticated; grant select on "🚢".logs to authenticated;`);
    const emoji = { schemas: ["public", "🚢"] };
    const prepared = preparedOf(source);
    const settings = { ...prepared.settings, ...emoji };
    const { rows: found } = await as(
      backend.backend.database,
      { ...prepared, settings },
      { role: "authenticated", claims: {} },
      (client) => client.query('select id from "🚢".logs'),
      { table: { schema: "🚢", name: "logs" } },
    );
    expect(found).toEqual([{ id: 1 }]);
  });

  test("a row that a trigger leaves out says so", async () => {
    await backend.sql(`create table public.skipped (id int primary key, note text); insert into public.skipped values (1, 'a');
      create function public.skip() returns trigger language plpgsql as 'begin return null; end';
      create trigger skip before update on public.skipped for each row execute function public.skip();`);
    const change = { kind: "update", key: ["1"], values: { note: "b" }, was: { note: "a" } } as const;
    const table = odd("skipped");
    await expect(
      write(source, { as: POSTGRES, changes: [{ ...change, key: ["1"], table }], save: true }),
    ).rejects.toThrow(/a policy or a trigger keeps it from being written/);
  });
});

describe("hidden rows", () => {
  test(
    `equal what REST leaves out, in ${CASES} random sets of policies`,
    async () => {
      let hidden = 0;
      for (let seed = 1; seed <= CASES; seed += 1) {
        const random = new Random(seed);
        const { sql, role, claims, headers } = randomCase(random);
        await db.query(`${await dropped()};${sql}`);
        const now = Math.floor(backend.clock.now() / 1000);
        const token = await backend.backend.keys.sign({ ...claims, iat: now, exp: now + 600 });
        const response = await fetch(`${backend.url}/rest/v1/items?select=id`, {
          headers: {
            apikey: backend.publishableKey,
            authorization: `Bearer ${token}`,
            "accept-profile": "gen",
            ...headers,
          },
        });
        const answer = (await response.json()) as { id: number }[];
        const told = `seed ${seed}: ${sql}\n${JSON.stringify(claims)}\n${JSON.stringify(answer)}`;
        const found = await rowsAs(source, { role, claims, headers }, { table: ITEMS, where: "" });
        expect(found.rows.length, told).toBe(24);
        if (!response.ok) {
          expect(found.refused, told).toBeDefined();
          continue;
        }
        const seen = found.rows.flatMap(([id], at) => (found.hidden.includes(at) ? [] : [Number(id)]));
        expect(seen, told).toEqual(answer.map(({ id }) => id).sort((one, other) => one - other));
        if (found.hidden.length > 0) hidden += 1;
      }
      // Cases in which nothing is hidden would test nothing.
      expect(hidden).toBeGreaterThan(CASES / 3);
    },
    CASES * 1_000 + 10_000,
  );

  test("are asked in the transaction that REST opens: its path, method, login, search path and pre-request", async () => {
    await backend.sql(`create table public.doors (id int primary key);
      insert into public.doors select generate_series(1, 6);
      alter table public.doors enable row level security;
      create policy doors on public.doors using (case id
        when 1 then current_setting('request.path') = '/doors' when 2 then current_setting('request.method') = 'GET'
        when 3 then session_user = 'authenticator' when 4 then current_setting('app.tenant', true) = 'north'
        when 5 then current_setting('search_path') = '"public", "public", "extensions"' else false end);
      grant select on public.doors to authenticated;
      create function public.before_request() returns void language sql as
        $$ select set_config('app.tenant', 'north', true) $$;
      do $$ begin execute format('alter role authenticator in database %I set pgrst.db_pre_request = %L',
        current_database(), 'public.before_request'); end $$;
      notify pgrst, 'reload config'`);
    const ids = async () => {
      const token = await backend.backend.keys.sign({
        role: "authenticated",
        exp: Math.floor(backend.clock.now() / 1000) + 600,
      });
      const response = await fetch(`${backend.url}/rest/v1/doors?select=id&order=id`, {
        headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
      });
      return ((await response.json()) as { id: number }[]).map(({ id }) => id);
    };
    await expect.poll(ids).toEqual([1, 2, 3, 4, 5]);
    const { hidden } = await page({ as: AUTHENTICATED, table: { schema: "public", name: "doors" } });
    expect(hidden).toEqual([5]);
  });

  async function dropped(): Promise<string> {
    const { rows } = await db.query<{ sql: string }>(
      "select format('drop policy %I on %s', polname, polrelid::regclass) as sql from pg_policy where polrelid in ('gen.items'::regclass, 'gen.members'::regclass)",
    );
    return rows.map(({ sql }) => sql).join(";");
  }
});

const BOOKS = { schema: "public", name: "books" };
const page = (ask: Partial<Parameters<typeof rowsOf>[1]> = {}) =>
  rowsOf(source, { as: POSTGRES, table: BOOKS, where: "", ...ask });
const KINDS = { schema: "public", name: "kinds" };
const SHELVES = { schema: "public", name: "shelves" };
const AUTHENTICATED: Lens = { kind: "role", role: "authenticated" };

/** All books anew: 3 on the first shelf, of which the lens sees 2. */
async function shelved(): Promise<void> {
  await backend.sql(`truncate public.books, public.shelves cascade;
    insert into public.shelves values (1, 'Top'), (2, 'Low');
    insert into public.books (shelf, no, title, pages, note) values
      (1, 1, 'A, "b"', 120, null), (1, 2, 'it''s', 90, 'x'), (1, 3, null, 300, repeat('long ', 100));`);
}

describe("a page of rows", () => {
  test("marks rows that the lens does not get, and cuts long texts", async () => {
    await shelved();
    const { rows, hidden, cut, names, total } = await page({ as: AUTHENTICATED });
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ["1", "1", 'A, "b"', "120"],
      ["1", "2", "it's", "90"],
      ["1", "3", null, "300"],
    ]);
    expect({ hidden, cut, names, total }).toEqual({
      hidden: [1],
      cut: [[2, 4]],
      names: { shelf: { 1: "Top" } },
      total: { count: 3, as: "exact" },
    });
  });

  test.each([
    ["it's", [2]],
    ["pages>100", [1, 3]],
    ["title=null", [3]],
    ["title!=null pages<=100", [2]],
    ['title="A, b"', []],
    ["title~a,", [1]],
    ["pages!=90", [1, 3]],
    ["100%", []],
  ])("of the filter %s", async (where, numbers) => {
    await shelved();
    expect((await page({ where })).rows.map((row) => Number(row[1]))).toEqual(numbers);
  });

  test.each([
    ["ŁÓDŹ", ["10"]],
    ["a_B", ["-20"]],
    ["-20", ["-20"]],
    ["0002", ["-20"]],
    ["FEEDABAD", ["-20", "10"]],
    ["RU", ["10"]],
    ["7", ["-20", "10"]],
    ["-", ["-20", "10"]],
    ["xyz", []],
    ["5-08-3", ["10"]],
    ["Finit", ["30"]],
  ])("of the text %s in whatever type", async (where, keys) => {
    expect((await page({ where, table: KINDS })).rows.map(([id]) => id)).toEqual(keys);
  });

  test("looks for a text in no column whose type never has its characters", async () => {
    const table = await readTable(db, KINDS, []);
    const columns = ["id", "label", "open", "array", "depth"];
    const looked = (text: string) => columns.filter((name) => conditionOf(text, table).includes(`"${name}"`));
    expect([looked("pizza"), looked("7"), looked("fee")]).toEqual([
      ["array", "depth"],
      ["id", "label", "array", "depth"],
      ["label", "open", "array", "depth"],
    ]);
  });

  test("looks for a text in dates as the database writes them", async () => {
    const writes = (style: string) =>
      backend.sql(
        `do $$ begin execute format('alter database %I set datestyle to %L', current_database(), '${style}'); end $$`,
      );
    const found = async () => (await page({ where: "sun", table: KINDS })).rows.map(([id]) => id);
    await backend.sql("update public.kinds set day = '2025-08-31' where id = 10");
    expect(await found()).toEqual([]);
    await writes("Postgres, DMY");
    await backend.sql("alter table public.kinds alter column day type timestamp");
    expect(await found()).toEqual(["10"]);
    await writes("ISO, MDY");
  });

  test("is in the order of a column whose name is that of an expression", async () => {
    const order = { column: "array", descending: true };
    expect((await page({ order, table: KINDS })).rows.map(([id]) => id)).toEqual(["10", "-20", "30"]);
  });

  test("says which column of a filter is not there, and what value its type refuses", async () => {
    await expect(page({ where: "colour=red" })).rejects.toThrow("books has no column colour.");
    await expect(page({ where: "pages=many" })).rejects.toThrow(
      'invalid input syntax for type integer: "many"',
    );
  });

  test.each([
    [undefined, ""],
    [{ column: "pages", descending: true }, ""],
    [{ column: "title", descending: false }, ""],
    [undefined, "T"],
    [undefined, "t4"],
    [{ column: "pages", descending: true }, "title~t"],
  ])(
    "comes in pages that leave out no row and repeat none, in the order %o, of the filter %s",
    async (order, where) => {
      await shelved();
      await backend.sql(`insert into public.books (shelf, no, title, pages)
        select 2, i, case when i % 7 > 0 then 't' || i % 5 end, nullif(i % 11, 0) from generate_series(1, 240) i`);
      const seen: string[] = [];
      let after: (string | null)[] | undefined;
      do {
        const found = await page({ where, ...(order ? { order } : {}), ...(after ? { after } : {}) });
        seen.push(...found.rows.map(([shelf, no]) => `${shelf} ${no}`));
        after = found.next;
      } while (after);
      const by = order ? `${order.column} ${order.descending ? "desc" : "asc"} nulls last, ` : "";
      const text = where.replace("title~", "");
      const all = await backend.sql(
        `select shelf, no from public.books where '${text}' = '' or title ilike '%${text}%' order by ${by}shelf, no`,
      );
      expect(all.length).toBeGreaterThan(text === "t4" ? 0 : 200);
      expect(seen).toEqual(all.map(({ shelf, no }) => `${shelf} ${no}`));
    },
  );

  test("of a table without a key counts what the lens gets", async () => {
    const loose = await page({ as: AUTHENTICATED, table: { schema: "public", name: "loose" } });
    expect([loose.rows.length, loose.seen, loose.hidden]).toEqual([2, 1, []]);
  });

  test("says which columns are withheld, and in Postgres's words why a table is", async () => {
    await shelved();
    const shelves = await page({ as: AUTHENTICATED, table: { schema: "public", name: "shelves" } });
    expect([shelves.withheld, shelves.hidden, shelves.refused]).toEqual([["label"], [], undefined]);
    const refused = await page({ as: { kind: "role", role: "anon" } });
    expect([refused.refused, refused.hidden]).toEqual(["permission denied for table books", [0, 1, 2]]);
  });
});

test("a row has all of its text, the names that its keys lead to, and what leads to it", async () => {
  await shelved();
  const book = await rowOf(source, { table: BOOKS, key: ["1", "3"] });
  expect([book.values?.[4]?.length, book.references]).toEqual([
    500,
    [{ columns: ["shelf"], targets: ["id"], table: SHELVES, values: ["1"], name: "Top" }],
  ]);
  const shelf = await rowOf(source, { table: SHELVES, key: ["1"] });
  expect(shelf.pointsHere).toEqual([{ table: BOOKS, columns: ["shelf"], values: ["1"], count: 3 }]);
  expect(await rowOf(source, { table: BOOKS, key: ["9", "9"] })).toEqual({
    cut: [],
    references: [],
    pointsHere: [],
  });
});

test("a key of several columns leads to its row and back, in the order of the constraint, and nowhere while one is null", async () => {
  await shelved();
  await backend.sql(
    "insert into public.loans values (1, 2, 1, 'Ana'), (2, 2, 1, 'Ben'), (3, 2, null, 'Cem')",
  );
  const LOANS = { schema: "public", name: "loans" };
  const loan = await rowOf(source, { table: LOANS, key: ["1"] });
  const key = { columns: ["shelf", "no"], values: ["1", "2"] };
  expect(loan.references).toEqual([{ ...key, targets: ["shelf", "no"], table: BOOKS, name: "it's" }]);
  expect((await rowOf(source, { table: LOANS, key: ["3"] })).references).toEqual([]);
  const book = await rowOf(source, { table: BOOKS, key: ["1", "2"] });
  expect(book.pointsHere).toEqual([{ ...key, table: LOANS, count: 2 }]);
  expect((await page({ table: LOANS, where: "shelf=1 no=2" })).rows.map(([id]) => id)).toEqual(["1", "2"]);
});

describe("a save", () => {
  const all = () => backend.sql("select shelf, no, title, pages from public.books order by 1, 2");
  const save = (changes: Change[], as: Lens = POSTGRES) => write(source, { as, changes, save: true });
  const update = (no: string, values: Record<string, string | null>, was = {}): Change => ({
    kind: "update",
    table: BOOKS,
    key: ["1", no],
    values,
    was,
  });

  test("changes exactly the rows that were named, by the statements that were shown", async () => {
    await shelved();
    const changes: Change[] = [
      update("2", { title: "it's; drop table books --", pages: null }, { title: "it's" }),
      { kind: "insert", table: BOOKS, values: { shelf: "2", no: "1", title: "new" } },
      { kind: "delete", table: BOOKS, key: ["1", "1"] },
    ];
    const { sql } = await write(source, { as: POSTGRES, changes, save: false });
    expect(sql).toEqual([
      `update "public"."books" set "title" = 'it''s; drop table books --', "pages" = null where "shelf" = '1' and "no" = '2' and "title"::text is not distinct from 'it''s';`,
      `insert into "public"."books" ("shelf", "no", "title") values ('2', '1', 'new');`,
      `delete from "public"."books" where "shelf" = '1' and "no" = '1';`,
    ]);
    expect(await all()).toHaveLength(3);
    expect((await save(changes)).sql).toEqual(sql);
    expect(await all()).toEqual([
      { shelf: 1, no: 2, title: "it's; drop table books --", pages: null },
      { shelf: 1, no: 3, title: null, pages: 300 },
      { shelf: 2, no: 1, title: "new", pages: null },
    ]);
  });

  test.each<[string, Change, Lens]>([
    ["is gone", update("9", { title: "x" }), POSTGRES],
    ["somebody has changed meanwhile", update("1", { title: "x" }, { title: "old" }), POSTGRES],
    ["a policy hides from the lens", update("2", { title: "x" }), AUTHENTICATED],
    [
      "a policy keeps the lens from deleting",
      { kind: "delete", table: BOOKS, key: ["1", "2"] },
      AUTHENTICATED,
    ],
  ])("of a row that %s is undone with all others", async (_name, change, as) => {
    await shelved();
    const before = await all();
    await expect(save([update("3", { title: "first" }), change], as)).rejects.toThrow("Nothing was saved.");
    expect(await all()).toEqual(before);
  });

  test("of several changes says which one Postgres refuses", async () => {
    const changes = [update("3", { title: "first" }), update("1", { pages: "many" })];
    await expect(save(changes)).rejects.toThrow(/^books 1, 1: invalid input syntax for type integer: "many"/);
    await expect(save(changes.slice(1))).rejects.toThrow(/^invalid input syntax/);
  });

  test("that a policy refuses the lens says so in Postgres's words, and changes nothing", async () => {
    await shelved();
    const before = await all();
    await expect(save([update("1", { pages: "2" })], AUTHENTICATED)).rejects.toThrow(
      'new row violates row-level security policy for table "books"',
    );
    expect(await all()).toEqual(before);
    await save([update("1", { pages: "200" })], AUTHENTICATED);
    expect((await all())[0]).toMatchObject({ pages: 200 });
  });

  test("as a lens says which policy keeps a row from it, and leaves alone what the policies let through", async () => {
    await shelved();
    const reasons = new Reasons({ backend: backend.backend } as DeveloperStart);
    const saved = (change: Change) =>
      write(source, { as: AUTHENTICATED, changes: [change], save: true }, reasons);
    await expect(saved({ kind: "delete", table: BOOKS, key: ["1", "2"] })).rejects.toThrow(
      /^Nothing was saved\. .*policy "long" wants pages > 100, and pages is 90/,
    );
    await expect(saved(update("1", { pages: "2" }))).rejects.toThrow(
      /^Nothing was saved\. Refused .*policy "long" wants pages > 100, and pages is 2\./,
    );
    await expect(
      saved({ kind: "insert", table: BOOKS, values: { shelf: "1", no: "9", pages: "5" } }),
    ).rejects.toThrow(/policy "long" wants pages > 100, and pages is 5\./);
    await expect(saved(update("3", { title: "x" }, { title: "old" }))).rejects.toThrow(
      /is not as it was shown/,
    );
  });

  test("as a lens compares no column that it may not select", async () => {
    await shelved();
    await backend.sql(
      "revoke select on public.books from authenticated; grant select (shelf, no, pages) on public.books to authenticated",
    );
    await save([update("3", { title: "third" }, { title: null })], AUTHENTICATED);
    expect((await all())[2]).toMatchObject({ title: "third" });
  });

  test("takes no column that makes itself, none that is not there, and no row of a table without a key", async () => {
    await expect(save([update("1", { upper: "X" })])).rejects.toThrow("books has no column upper to write.");
    await expect(save([update("1", { 'x" = 1; --': "X" })])).rejects.toThrow("no column");
    const loose: Change = { kind: "delete", table: { schema: "public", name: "loose" }, key: ["a"] };
    await expect(save([loose])).rejects.toThrow("cannot be told apart");
    await expect(save([{ ...loose, key: [] }])).rejects.toThrow("cannot be told apart");
  });
});
