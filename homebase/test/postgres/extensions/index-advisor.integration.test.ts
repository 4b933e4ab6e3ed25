/** index_advisor names the indexes that a query would use, and leaves none behind. */
import pg from "pg";
import { expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";
import { forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(
  createBackend({
    projectFolder: projectWith("", {
      "20260101000000_books.sql": `create extension index_advisor with schema extensions cascade;
        create table author (id int primary key, name text not null, "Home Town" text);
        create table book (id int primary key, author_id int not null references author, title text not null, shelf int);
        insert into author select n, 'name ' || n, 'town ' || n % 500 from generate_series(1, 5000) n;
        insert into book select n, 1 + n % 5000, 'title ' || n, n % 2 from generate_series(1, 20000) n;
        create table empty (id int, name text);
        analyze author, book;`,
    }),
  }),
);

type Advice = {
  index_statements: string[];
  errors: string[];
  total_cost_before: number;
  total_cost_after: number;
  startup_cost_before: number;
  startup_cost_after: number;
};

async function advise(query: string): Promise<Advice> {
  const [row] = await backend.sql<Advice>("select * from extensions.index_advisor($1)", [query]);
  if (!row) throw new Error("index_advisor returned no row.");
  return row;
}

/** Not Realtime's, which makes and drops tables of a day at any time, and their TOAST tables. */
const indexes = () =>
  backend.sql(`select indexrelid::regclass::text as name from pg_index
    where indexrelid >= 16384 and indexrelid::regclass::text !~ '^(realtime|pg_toast)[.]' order by 1`);

it("advises an index on a filtered column, with the costs before and after, and leaves no trace", async () => {
  const before = await indexes();
  const advice = await advise("select * from book where title = $1; -- ended; twice");
  expect(advice.index_statements).toEqual(["CREATE INDEX ON public.book USING btree (title)"]);
  expect(advice.errors).toEqual([]);
  expect(advice.total_cost_after).toBeLessThan(advice.total_cost_before / 10);
  expect(advice.startup_cost_before).toEqual(expect.any(Number));
  expect(advice.startup_cost_after).toEqual(expect.any(Number));
  expect(await indexes()).toEqual(before);
});

it("advises several for a join, and quotes names", async () => {
  const advice = await advise(
    `select b.title from author a join book b on b.author_id = a.id where a."Home Town" = $1 and a.name = $2`,
  );
  expect(advice.index_statements).toContain("CREATE INDEX ON public.book USING btree (author_id)");
  const town = await advise(`select * from author where "Home Town" = 'town 7'`);
  expect(town.index_statements).toEqual([`CREATE INDEX ON public.author USING btree ("Home Town")`]);
});

it("advises one for a table without rows, as it would with many", async () => {
  expect((await advise("select * from empty where id = $1")).index_statements).toEqual([
    "CREATE INDEX ON public.empty USING btree (id)",
  ]);
});

it("advises none where it would not help", async () => {
  for (const query of [
    "select * from book where id = $1",
    "select * from book where shelf >= 0",
    "select count(title) from book",
    "select 1",
  ]) {
    const advice = await advise(query);
    expect(advice.index_statements, query).toEqual([]);
    expect(advice.total_cost_after, query).toEqual(advice.total_cost_before);
  }
});

it("says that it takes one query, and reports a wrong one as Postgres does", async () => {
  expect(await advise("select 1; select 2")).toEqual({
    index_statements: [],
    errors: ["Query must not contain a semicolon"],
    startup_cost_before: null,
    startup_cost_after: null,
    total_cost_before: null,
    total_cost_after: null,
  });
  await expect(advise("select * from no_such_table")).rejects.toThrow('"no_such_table" does not exist');
});

it("keeps a session's prepared statements, and advises nothing on tables of others", async () => {
  const client = new pg.Client({ connectionString: backend.databaseUrl });
  await client.connect();
  try {
    await client.query("prepare kept as select 1 as one");
    await client.query("select * from extensions.index_advisor('select * from book where title = $1')");
    expect((await client.query("execute kept")).rows).toEqual([{ one: 1 }]);
    await client.query("begin; set local role service_role");
    const { rows } = await client.query(
      "select index_statements from extensions.index_advisor('select * from book where title = $1')",
    );
    expect(rows).toEqual([{ index_statements: [] }]);
    await client.query("rollback");
  } finally {
    await client.end();
  }
});
