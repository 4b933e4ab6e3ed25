/** COPY with its rows, `\copy` and `\i` in a project's files, and files that end their own connection. */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
}, 180_000);

const TABLE = "create table public.a (id int primary key, v text);\n";
const ROWS = "copy public.a (id, v) from stdin;\n1\tx;y\n2\t\\N\n\\.\n";
const events = (output: string) =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function query(sql: string): Promise<unknown> {
  const { stdout, stderr } = (await one?.run("db", "query", sql, "--json")) ?? { stdout: "", stderr: "" };
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("rows of a COPY are read in a seed, in a migration, and in one that is saved while the stack runs", async () => {
  one = new Project({
    "migrations/20260101000000_a.sql": `${TABLE}${ROWS}insert into public.a values (3, 'after');\n`,
    "seed.sql": 'copy public.a (id, v) from stdin with (format csv, header);\nid,v\n4,"a\nb"\n\\.\n',
  });
  await one.start();
  const all = "select id, v from public.a order by id";
  const first = [
    { id: "1", v: "x;y" },
    { id: "2", v: null },
    { id: "3", v: "after" },
    { id: "4", v: "a\nb" },
  ];
  expect(await query(all)).toEqual(first);
  one.write("migrations/20260102000000_b.sql", "copy public.a from stdin with (format csv);\n5,z\n\\.\n");
  await one.says(/Applied.*20260102000000_b\.sql/);
  expect(await query(all)).toEqual([...first, { id: "5", v: "z" }]);
  // The history has the rows, and they are not taken for an edit.
  expect(
    await query(
      "select statements[1] as statement, cardinality(statements) as count from supabase_migrations.schema_migrations where version = '20260102000000'",
    ),
  ).toEqual([{ statement: "copy public.a from stdin with (format csv);\n5,z\n\\.", count: "1" }]);
  await one.stop();
  await one.start();
  expect(one.output).not.toMatch(/edited|changed/i);
  // What is fetched from a history is what was applied.
  expect((await one.run("migration", "list")).stdout).toContain("20260102000000");
}, 180_000);

test("a row that a COPY refuses is named by its line, and the database is as before that file", async () => {
  one = new Project({
    "migrations/20260101000000_a.sql": TABLE,
    "migrations/20260102000000_b.sql":
      "insert into public.a values (1, 'kept');\ncopy public.a from stdin;\n2\ty\nthree\tz\n\\.\n",
  });
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(events(one.output).find(({ kind }) => kind === "failed")).toMatchObject({
    file: "supabase/migrations/20260102000000_b.sql",
    line: 4,
    code: "22P02",
    detail: expect.stringContaining('COPY a, line 2, column id: "three"'),
  });
  expect(await query("select * from public.a")).toEqual([]);
}, 180_000);

test("the product's own dump with --use-copy is read as a seed", async () => {
  one = new Project({ "migrations/20260101000000_a.sql": TABLE, "seed.sql": ROWS });
  await one.start();
  const { secret } = one;
  const user = await fetch(`${one.url}/auth/v1/admin/users`, {
    method: "POST",
    headers: { apikey: secret, "content-type": "application/json" },
    body: JSON.stringify({ email: "ana@example.test", password: "a-password-of-ana" }),
  });
  expect(user.status).toBe(200);
  const file = join(one.folder, "supabase", "seed.sql");
  const dumped = await one.run("db", "dump", "--data-only", "--use-copy", "-f", file);
  expect(dumped).toMatchObject({ code: 0, stderr: "" });
  expect(await one.run("reset")).toMatchObject({ code: 0 });
  expect(await query("select id, v from public.a order by id")).toEqual([
    { id: "1", v: "x;y" },
    { id: "2", v: null },
  ]);
  expect(await query("select email from auth.users")).toEqual([{ email: "ana@example.test" }]);
}, 180_000);

test("\\i and \\copy read files of the project, and name the place in them", async () => {
  one = new Project({
    "migrations/20260101000000_a.sql":
      "\\ir ../parts/table.sql\n\\copy public.a (id, v) from 'supabase/parts/rows.csv' with (format csv)\nselect 1;\n",
    "migrations/20260102000000_b.sql": "\n\\i parts/broken.sql\n",
    "parts/table.sql": "-- with its own file\n\\i parts/inner.sql\n",
    "parts/inner.sql": TABLE.replace(";\n", ""),
    "parts/rows.csv": "1,one\n2,two\n",
    "parts/broken.sql": "select 1;\nselect missing from public.a;\n",
  });
  await one.startUntil(/"kind":"ready"/, "--json");
  expect(await query("select id, v from public.a order by id")).toEqual([
    { id: "1", v: "one" },
    { id: "2", v: "two" },
  ]);
  expect(events(one.output).find(({ kind }) => kind === "failed")).toMatchObject({
    file: "supabase/migrations/20260102000000_b.sql",
    line: 2,
    included: "supabase/parts/broken.sql:2:8",
    code: "42703",
  });
}, 180_000);

const ENDINGS: Record<string, [sql: string, line: number]> = {
  "pg_terminate_backend in a transaction": [
    "select 1;\nselect pg_terminate_backend(pg_backend_pid());\nselect 2;\n",
    2,
  ],
  "pg_terminate_backend outside of one": [
    "vacuum;\nselect pg_terminate_backend(pg_backend_pid());\nselect 2;\n",
    2,
  ],
  "a time limit for a transaction": ["set local transaction_timeout = '20ms';\nselect pg_sleep(1);\n", 2],
};

test.each(Object.entries(ENDINGS))(
  "%s: the file is named, with line and advice, and the stack serves",
  async (_, [sql, line]) => {
    one = new Project({ "migrations/20260101000000_a.sql": TABLE, "seed.sql": sql });
    await one.startUntil(/"kind":"ready"/, "--json");
    const told = {
      file: "supabase/seed.sql",
      line,
      advice: expect.stringContaining("must not end its own session"),
    };
    expect(events(one.output).find(({ kind }) => kind === "failed")).toMatchObject(told);
    expect((await one.rest("a")).status).toBe(200);
    // Saved while the stack runs, and by hand.
    one.write("migrations/20260102000000_b.sql", sql);
    await one.says(/20260102000000_b\.sql.*must not end its own session/s);
    const json = await one.run("migrate", "--json");
    expect(json.code).toBe(1);
    expect(json.stdout + json.stderr).toContain("supabase/migrations/20260102000000_b.sql");
    expect(json.stdout + json.stderr).toContain("must not end its own session");
    const text = await one.run("migrate");
    expect(text.stdout + text.stderr).toMatch(new RegExp(`20260102000000_b\\.sql:${line}:1`));
  },
  180_000,
);
