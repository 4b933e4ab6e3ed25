/** The calls of the SQL view: results and their limits, errors at their place, what stays saved, lenses, and snippets. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import type { Change, Lens, SqlAnswer } from "../server/api.ts";
import { write } from "../server/data/write.ts";
import type { Source } from "../server/owner-connections.ts";
import { runSql } from "../server/sql/run.ts";
import { Snippets } from "../server/sql/snippets.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const source: Source = { backend: backend.backend };
const POSTGRES: Lens = { kind: "postgres" };
const AUTHENTICATED: Lens = { kind: "role", role: "authenticated" };

const run = (text: string, as: Lens = POSTGRES, explain = false, signal = new AbortController().signal) =>
  runSql(source, { as, text, explain }, signal);
const rowsOf = ({ results, error }: SqlAnswer) => error ?? results.map(({ rows }) => rows);
const count = async () =>
  Number((await backend.sql<{ n: string }>("select count(*) n from public.plans"))[0]?.n);

beforeAll(async () => {
  await backend.sql(`create table public.plans (id int primary key, title text not null, status text default 'open', done boolean);
    create table public.guests (plan int references public.plans, name text, primary key (plan, name));
    create table public.loose (what text);
    create schema app; create table app.invoices (id int primary key);
    create view public.titles as select id, title from public.plans;
    alter table public.plans enable row level security;
    create policy own on public.plans to authenticated using (id < 3) with check (id < 3);
    grant select, insert, update, delete on public.plans to authenticated;
    notify pgrst, 'reload schema'`);
});
beforeEach(async () => {
  await backend.sql(`truncate public.plans cascade;
    insert into public.plans values (1, 'Brunch', 'open', true), (2, 'Pizza', 'done', false), (3, 'Dinner', 'open', null);
    insert into public.guests values (1, 'Ana')`);
});

describe("results", () => {
  test("are one for each statement, as Postgres writes their values", async () => {
    const { results, saved, notices } = await run(
      "select id, title, done from plans order by 1; update plans set status = 'x' where id > 1; do $$ begin raise notice 'seen'; end $$; select now() - now() as nothing",
    );
    expect(results.map(({ command, count: n, rows }) => [command, n, rows])).toEqual([
      [
        "SELECT",
        3,
        [
          ["1", "Brunch", "true"],
          ["2", "Pizza", "false"],
          ["3", "Dinner", null],
        ],
      ],
      ["UPDATE", 2, []],
      ["DO", undefined, []],
      ["SELECT", 1, [["00:00:00"]]],
    ]);
    expect(results[0]?.columns).toEqual([
      { name: "id", type: "integer" },
      { name: "title", type: "text" },
      { name: "done", type: "boolean" },
    ]);
    expect([saved, notices]).toEqual(["all", ["NOTICE: seen"]]);
  });

  test("end at 10,000 rows, and at 8 MB of all, without reading what follows", async () => {
    const many = await run(
      "select a from generate_series(1, 100000) a, generate_series(1, 100000) b; select 1",
    );
    expect(many.results.map(({ rows, cut }) => [rows.length, cut])).toEqual([
      [10_000, true],
      [1, false],
    ]);
    const exact = await run("select i from generate_series(1, 10000) i");
    expect(exact.results.map(({ rows, cut }) => [rows.length, cut])).toEqual([[10_000, false]]);
    const large = await run("select repeat('x', 1000000) from generate_series(1, 100); select 1");
    expect(large.results.map(({ rows, cut }) => [rows.length, cut])).toEqual([
      [9, true],
      [0, true],
    ]);
  });

  test("of a write are whole in the database where the page has a part", async () => {
    const { results } = await run(
      "insert into loose select i::text from generate_series(1, 10500) i returning what; select count(*) from loose",
    );
    expect(results.map(({ rows, cut }) => [rows.length, cut])).toEqual([
      [10_000, true],
      [1, false],
    ]);
    expect(results[1]?.rows).toEqual([["10500"]]);
    await backend.sql("truncate public.loose");
  });

  test("can be edited where each row is one row of one table, with its key", async () => {
    const tableOf = async (text: string) => (await run(text)).results.at(-1)?.table;
    const plans = { schema: "public", name: "plans" };
    expect(await tableOf("select title, id, upper(title) from plans p where id > 1")).toEqual({
      ...plans,
      columns: ["title", "id", null],
    });
    expect(await tableOf("with x as (select * from plans) select id as plan, title from x")).toMatchObject(
      plans,
    );
    for (const text of [
      "select title from plans",
      "select id, max(title) from plans, loose group by 1",
      "select a.id, b.title from plans a, plans b",
      "select id, title as one, title as two from plans",
      "select p.id, p.title from plans p join guests g on g.plan = p.id",
      "select id, title from plans union all select id, title from plans",
      "select * from titles",
      "select * from loose",
      "update plans set done = true returning *",
      "select oid, relname from pg_class",
    ])
      expect([text, await tableOf(text)]).toEqual([text, undefined]);
  });

  test("that are edited touch their own row alone, and none where a value is another by now", async () => {
    const { results } = await run("select id, done from plans where id = 2");
    const [result] = results;
    if (!result?.table) throw new Error("The result is one of a table.");
    const { table, rows } = result;
    const change: Change = {
      kind: "update",
      table: { schema: table.schema, name: table.name },
      key: [rows[0]?.[0] ?? ""],
      values: { done: "true" },
      was: { done: rows[0]?.[1] ?? null },
    };
    await write(source, { as: POSTGRES, changes: [change], save: true });
    expect(await backend.sql("select id, done from public.plans order by id")).toEqual([
      { id: 1, done: true },
      { id: 2, done: true },
      { id: 3, done: null },
    ]);
    await expect(write(source, { as: POSTGRES, changes: [change], save: true })).rejects.toThrow(
      "not as it was shown",
    );
  });
});

describe("an error", () => {
  test("has its place in the whole text, Postgres's words and code, and the name that is there", async () => {
    const text = "select 1; -- 🍕 ö\nselect p.stauts from plans p";
    const { error, results, saved } = await run(text);
    expect(error).toMatchObject({
      message: "column p.stauts does not exist",
      code: "42703",
      near: "There is p.status.",
      at: text.indexOf("p.stauts"),
    });
    expect([results, saved]).toEqual([[], "none"]);
  });

  test.each([
    ["select * from planz", "There is plans."],
    ["select * from invoices", "There is app.invoices."],
    ["insert into plans (id, tittle) values (9, 'x')", "There is plans.title."],
    ["select * from zzzzzz", undefined],
  ])("of %s says %s", async (text, near) => {
    expect((await run(text)).error?.near).toBe(near);
  });

  test("undoes all statements of the text", async () => {
    const { saved, error } = await run("insert into plans values (9, 'New'); select 1/0");
    expect([saved, error?.code, await count()]).toEqual(["none", "22012", 3]);
  });

  test("of a commit is told like one of a statement", async () => {
    await backend.sql(
      "alter table public.guests alter constraint guests_plan_fkey deferrable initially deferred",
    );
    const { saved, error } = await run("insert into guests values (99, 'Eve')");
    expect([saved, error?.code, error?.detail]).toEqual([
      "none",
      "23503",
      expect.stringContaining("(plan)=(99)"),
    ]);
    expect((await run("insert into guests values (99, 'Eve'); select 1")).error?.code).toBe("23503");
    expect(rowsOf(await run("select 1"))).toEqual([[["1"]]]);
  });
});

describe("a transaction of the text's own", () => {
  test("is committed and rolled back where the text says so, and each other statement by itself", async () => {
    const { saved, error } = await run(
      "insert into plans values (9, 'a'); begin; insert into plans values (10, 'b'); rollback; select 1/0",
    );
    expect([saved, error?.code, await count()]).toEqual(["before", "22012", 4]);
  });

  test("that is not ended is undone, and told", async () => {
    const { saved, results } = await run("begin; insert into plans values (9, 'a')");
    expect([saved, results.length, await count()]).toEqual(["open", 2, 3]);
  });

  test("is not needed by a statement that runs in none", async () => {
    expect((await run("vacuum loose")).saved).toBe("all");
  });
});

describe("a lens", () => {
  test("gets what its policies let through, by REST's login, and its writes are committed", async () => {
    const { results, saved } = await run(
      "select id from plans order by 1; update plans set title = title; select current_user, session_user, current_setting('request.method')",
      AUTHENTICATED,
    );
    expect(results.map(({ count: n, rows }) => [n, rows])).toEqual([
      [2, [["1"], ["2"]]],
      [2, []],
      [1, [["authenticated", "authenticator", "GET"]]],
    ]);
    expect(saved).toBe("all");
    expect((await run("insert into plans values (9, 'x')", AUTHENTICATED)).error?.code).toBe("42501");
    expect((await run("insert into plans values (0, 'x')", AUTHENTICATED)).saved).toBe("all");
    expect(await count()).toBe(4);
  });

  test.each([
    "commit",
    "/* x */ ROLLBACK",
    "begin",
    "end",
    "abort",
    "start transaction",
    "prepare transaction 'x'",
  ])("cannot leave REST's transaction by %s: nothing runs", async (statement) => {
    const { error, saved } = await run(
      `insert into plans values (0, 'x'); ${statement}; select 1`,
      AUTHENTICATED,
    );
    expect([error?.message, saved, await count()]).toEqual([
      expect.stringContaining("REST's transaction"),
      "none",
      3,
    ]);
  });

  test("leaves no setting to the requests that follow", async () => {
    await run("set search_path = app; set role service_role; set statement_timeout = '1ms'", AUTHENTICATED);
    expect(
      await backend.sql("select 1 from pg_stat_activity where application_name = 'homebase console'"),
    ).toEqual([]);
    expect(rowsOf(await run("select count(*) from plans", AUTHENTICATED))).toEqual([[["2"]]]);
  });
});

describe("a plan", () => {
  test("is of what ran, and what writes is planned without being run", async () => {
    const { results, saved } = await run("select * from plans; delete from plans", POSTGRES, true);
    const [read, written] = results.map(({ rows }) => rows.map(([line]) => line).join("\n"));
    expect(read).toMatch(/Seq Scan on plans .*actual time/);
    expect(written).toMatch(/Delete on plans/);
    expect(written).not.toMatch(/actual time/);
    expect([saved, await count()]).toEqual(["none", 3]);
  });

  test("as a lens has its policies, and an error has its place", async () => {
    const { results } = await run("select * from plans", AUTHENTICATED, true);
    expect(JSON.stringify(results[0]?.rows)).toContain("(id < 3)");
    expect((await run("select\n  nothing", POSTGRES, true)).error).toMatchObject({ code: "42703", at: 9 });
  });
});

test("a statement that is cancelled ends in Postgres, and its transaction with it", async () => {
  for (const as of [POSTGRES, AUTHENTICATED]) {
    const stop = new AbortController();
    const running = run(
      "insert into plans values (0, 'x'); select pg_sleep(60), 'cancelled'",
      as,
      false,
      stop.signal,
    );
    running.catch(() => undefined);
    const sleeping = async () =>
      (
        await backend.sql<{ pid: number }>(
          "select pid from pg_stat_activity where query like '%pg_sleep(60), ''canc%' and state = 'active' and pid <> pg_backend_pid()",
        )
      ).length;
    await expect.poll(sleeping).toBe(1);
    stop.abort();
    await expect(running).rejects.toThrow();
    await expect.poll(sleeping).toBe(0);
    expect(await count()).toBe(3);
  }
});

describe("snippets", () => {
  let project = "";
  let snippets = new Snippets("");
  const path = (name: string) => join(project, "supabase", "snippets", name);
  const save = (name: string, text: string, version?: string) =>
    snippets.act({ do: "save", name, text, ...(version === undefined ? {} : { version }) });
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "snippets-"));
    snippets = new Snippets(project);
  });
  afterEach(() => rmSync(project, { recursive: true }));

  test("are saved, listed, opened, renamed and deleted, and the folder is made by the first", () => {
    expect(snippets.list()).toEqual({ names: [] });
    const { version } = save("Top hosts", "select 1");
    expect(readFileSync(path("Top hosts.sql"), "utf8")).toBe("select 1");
    expect(snippets.read("Top hosts")).toEqual({ name: "Top hosts", text: "select 1", version });
    snippets.act({ do: "rename", name: "Top hosts", to: "Hosts" });
    expect(snippets.list()).toEqual({ names: ["Hosts"] });
    const again = save("Hosts", "select 2", version);
    snippets.act({ do: "delete", name: "Hosts", version: again.version ?? "" });
    expect(snippets.list()).toEqual({ names: [] });
  });

  test("that another program has changed, made or deleted are not replaced", () => {
    const { version } = save("a", "select 1");
    writeFileSync(path("a.sql"), "select 'theirs'");
    expect(() => save("a", "select 'mine'", version)).toThrow("was changed by another program");
    expect(() => save("a", "select 'mine'")).toThrow("is there already");
    expect(() => snippets.act({ do: "delete", name: "a", version: version ?? "" })).toThrow(
      "changed by another",
    );
    expect(readFileSync(path("a.sql"), "utf8")).toBe("select 'theirs'");
    save("b", "select 'b'");
    expect(() => snippets.act({ do: "rename", name: "b", to: "a" })).toThrow("is there already");
    rmSync(path("a.sql"));
    expect(() => save("a", "select 'mine'", version)).toThrow("was deleted by another program");
    save("a", "select 'mine'");
  });

  test("are neither read, written nor deleted through a link", () => {
    const secret = join(project, "secret.sql");
    writeFileSync(secret, "secret");
    save("own", "select 1");
    symlinkSync(secret, path("linked.sql"));
    symlinkSync(join(project, "nothing.sql"), path("dangling.sql"));
    expect(snippets.list()).toEqual({ names: ["own"] });
    for (const name of ["linked", "dangling"]) {
      expect(() => snippets.read(name)).toThrow("a link");
      expect(() => save(name, "select 2")).toThrow("a link");
      expect(() => snippets.act({ do: "delete", name, version: "" })).toThrow("a link");
      expect(() => snippets.act({ do: "rename", name, to: "other" })).toThrow("a link");
      expect(() => snippets.act({ do: "rename", name: "own", to: name })).toThrow("a link");
    }
    expect(readFileSync(secret, "utf8")).toBe("secret");
    expect(existsSync(join(project, "nothing.sql"))).toBe(false);
    rmSync(path(""), { recursive: true });
    mkdirSync(join(project, "elsewhere"));
    symlinkSync(join(project, "elsewhere"), join(project, "supabase", "snippets"));
    expect(() => snippets.list()).toThrow("is a link");
    expect(() => save("a", "select 1")).toThrow("is a link");
    expect(lstatSync(join(project, "supabase", "snippets")).isSymbolicLink()).toBe(true);
  });
});
