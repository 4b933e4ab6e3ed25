/** Projects whose SQL fails: what still starts, the messages, and recovery. */
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
}, 180_000);

const GOOD = "create table public.first (id int primary key);\n";
const BLOCK = `create function public.noted() returns event_trigger language plpgsql as $$ begin end $$;

do $$ begin
  execute format('create event trigger %I on ddl_command_end execute function public.noted()', 'noted');
end $$;
`;
const events = (output: string) =>
  output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("a migration that fails: the stack serves what came before, names place, reason and ways on, and ends with 1", async () => {
  one = new Project({
    "migrations/20260101000000_first.sql": GOOD,
    "migrations/20260102000000_block.sql": BLOCK,
    "migrations/20260103000000_later.sql": "create table public.later (id int primary key);\n",
    "migrations/readme.txt": "not SQL",
    "seed.sql": "insert into public.later values (1);\n",
  });
  await one.startUntil(/"kind":"ready"/, "--json");
  const told = events(one.output);
  expect(told.find(({ kind }) => kind === "skipped")).toMatchObject({
    files: [{ path: "supabase/migrations/readme.txt" }],
  });
  expect(told.find(({ kind }) => kind === "failed")).toMatchObject({
    file: "supabase/migrations/20260102000000_block.sql",
    line: 3,
    statement: "do $$ begin",
    code: "42501",
    message: expect.stringContaining("event trigger"),
    advice: expect.stringContaining("separate statement"),
    later: ["supabase/migrations/20260103000000_later.sql"],
    unprotected: ["public.first"],
  });
  expect(told.find(({ kind }) => kind === "ready")).toMatchObject({
    notApplied: "supabase/migrations/20260102000000_block.sql",
  });
  expect((await one.rest("first")).status).toBe(200);
  expect((await one.rest("later")).status).toBe(404);
  const status = (await one.run("status")).stdout;
  expect(status).toMatch(/Not applied +supabase.migrations.20260102000000_block\.sql/);
  expect(status).toMatch(/Without row level security +public\.first/);
  expect(status).toMatch(/_block\.sql:3:1: permission denied to create event trigger/);
  expect(JSON.parse((await one.run("status", "--json")).stdout)).toMatchObject({
    notApplied: {
      file: "supabase/migrations/20260102000000_block.sql",
      line: 3,
      code: "42501",
      message: expect.stringContaining("event trigger"),
    },
  });
  const recorded = "select string_agg(version, ' ') as versions from supabase_migrations.schema_migrations";
  const history = async () => JSON.parse((await one?.run("db", "query", recorded, "--json"))?.stdout ?? "");
  expect(await history()).toEqual([{ versions: "20260101000000" }]);
  await one.run("stop");
  await one.ended();
  expect(one.exitCode).toBe(1);

  one.write(
    "migrations/20260102000000_block.sql",
    BLOCK.replace(/do \$\$ begin\n +execute format\('(.*)%I(.*)', 'noted'\);\nend \$\$;/s, "$1noted$2;"),
  );
  await one.start();
  expect(await (await one.rest("later")).json()).toEqual([{ id: 1 }]);
  await one.run("stop");
  await one.ended();
  expect(one.exitCode).toBe(0);
}, 180_000);

test("the next save goes on from the file that failed", async () => {
  one = new Project({
    "migrations/20260101000000_first.sql": GOOD,
    "migrations/20260102000000_broken.sql": "selekt 1;\n",
    "migrations/20260103000000_later.sql": "create table public.later (id int primary key);\n",
  });
  await one.start();
  one.output = "";
  one.write("migrations/20260102000000_broken.sql", "alter table public.first enable row level security;\n");
  await one.says(/Applied .*_broken\.sql, .*_later\.sql/);
  expect((await one.run("status")).stdout).not.toMatch(/Not applied|row level security/);
  await one.stop();
  expect(one.exitCode).toBe(0);
}, 180_000);

test("roles.sql and seeds that failed are due again once they are mended", async () => {
  one = new Project({
    "roles.sql": "create role shop_reader nologin;\nselekt 1;\n",
    "migrations/20260101000000_first.sql": GOOD,
    "seed.sql": "insert into public.first values (1), (1);\n",
  });
  await one.start();
  expect(one.output).toMatch(/supabase.roles\.sql:2:1: syntax error/);
  expect((await one.rest("first")).status).toBe(404);
  one.write("roles.sql", "create role shop_reader nologin;\n");
  const seeded = await one.run("migrate");
  expect([seeded.code, seeded.stderr]).toEqual([
    1,
    expect.stringMatching(/supabase.seed\.sql:1:1: duplicate key/),
  ]);
  expect(await (await one.rest("first")).json()).toEqual([]);
  one.write("seed.sql", "insert into public.first values (1), (2);\n");
  expect((await one.run("migrate")).stdout).toContain("Seeded from supabase/seed.sql");
  expect(await (await one.rest("first")).json()).toHaveLength(2);
  // The reset finds the role of the earlier database.
  expect((await one.run("reset")).code).toBe(0);
}, 180_000);

test("db diff prints what a project lacks, and --file writes it", async () => {
  one = new Project({
    "migrations/20260101000000_first.sql": GOOD,
    "schemas/first.sql": "create table public.first (id int primary key, name text);\n",
  });
  await one.start();
  const diff = await one.run("db", "diff");
  expect([diff.code, diff.stdout]).toEqual([0, expect.stringMatching(/add column "name" text/i)]);
  expect((await one.run("db", "diff", "-f", "names")).stdout).toMatch(
    /^Wrote supabase.migrations.\d{14}_names\.sql\n$/,
  );
  await one.says(/Applied .*_names\.sql/);
  expect((await one.rest("first?select=name")).status).toBe(200);
  expect(await one.run("db", "diff")).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("The schema files and the migrations agree.\n"),
  });
  expect((await one.run("db", "pull")).stdout).toBe("No schema changes found.\n");
  expect((await one.run("db", "nothing")).code).toBe(2);
}, 180_000);
