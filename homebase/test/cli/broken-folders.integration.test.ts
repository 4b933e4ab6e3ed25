/** Folders whose files cannot be applied: what kind of fault is named, at a start and for the whole folder at once. */
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
}, 180_000);

interface Problem {
  file: string;
  line?: number;
  fault?: string;
  advice?: string;
}

/** The files that fail, each as `name fault`. */
async function failing(
  files: Record<string, string>,
): Promise<{ short: string[]; problems: Problem[]; summary: string[]; stderr: string }> {
  one = new Project(files);
  const { code, stdout, stderr } = await one.run("doctor", "--migrations", "--json");
  expect(stderr === "" ? code : 1).toBe(code);
  const { failing: problems, summary } = JSON.parse(stdout) as { failing: Problem[]; summary: string[] };
  expect(existsSync(join(one.folder, ".homebase", "data"))).toBe(false);
  return {
    short: problems.map(({ file, fault }) => `${file.replace(/^.*\//, "")} ${fault}`),
    problems,
    summary,
    stderr,
  };
}

test("doctor --migrations names every migration that fails, with its kind of fault, and changes nothing", async () => {
  const { short, problems, summary, stderr } = await failing({
    "migrations/01_policy.sql": "select 1;\nalter table public.profiles enable row level security;\n",
    "migrations/02_first.sql": "create table public.first (id int primary key, label text);\n",
    "migrations/03_uses_later.sql": "create view public.seen as select * from public.later;\n",
    "migrations/04_later.sql": "create table public.later (id int primary key);\n",
    "migrations/05_twice.sql": "create table public.first (id int);\n",
    "migrations/05_version.sql": "select 1;\n",
    "migrations/06_type.sql": "create table public.moods (now public.mood);\n",
    "migrations/07_function.sql": "create policy own on public.first using (public.is_admin());\n",
    "migrations/08_extension.sql": "create table public.parts (place extensions.vector(3));\n",
    "migrations/09_schema.sql": "create table private.notes (id int);\n",
    "migrations/10_broken.sql": "create table public.broken (id int,);\n",
    "migrations/11_follows.sql": "alter table public.broken add column name text;\n",
    "migrations/12_dropped.sql": "drop table public.later cascade;\n",
    "migrations/13_after.sql": "insert into public.later values (1);\n",
    "migrations/14_column.sql": "alter table public.first add column label text;\n",
    "migrations/15_lacks.sql":
      "comment on column public.first.colour is 'x';\nalter table public.first drop column colour;\n",
    "migrations/16_wrong_call.sql": "select round(1.5::double precision, 1);\n",
    "migrations/17_role.sql": "grant select on public.first to shop_reader;\n",
    "seed.sql": "insert into public.nothing values (1);\n",
  });
  expect(short).toEqual([
    "01_policy.sql created-nowhere",
    "03_uses_later.sql wrong-order",
    "05_twice.sql created-twice",
    "05_version.sql undefined",
    "06_type.sql created-nowhere",
    "07_function.sql created-nowhere",
    "08_extension.sql extension-missing",
    "09_schema.sql created-nowhere",
    "10_broken.sql undefined",
    "11_follows.sql follows",
    "13_after.sql dropped-before",
    "14_column.sql created-twice",
    "15_lacks.sql created-nowhere",
    "16_wrong_call.sql undefined",
    "17_role.sql created-nowhere",
    "seed.sql created-nowhere",
  ]);
  const advice = (name: string) => problems.find(({ file }) => file.endsWith(name))?.advice;
  expect(advice("01_policy.sql")).toMatch(
    /^`public\.profiles` is used in supabase.migrations.01_policy\.sql:2 and created nowhere in this folder: the project began in a dashboard, .*homebase db dump --db-url URL -f schema\.sql/,
  );
  expect(advice("03_uses_later.sql")).toMatch(
    /`public\.later` is created only in supabase.migrations.04_later\.sql:1, which runs later: the files are in the wrong order\. Rename/,
  );
  expect(advice("05_twice.sql")).toMatch(
    /`first` is created twice: in supabase.migrations.02_first\.sql:1, and again in supabase.migrations.05_twice\.sql:1/,
  );
  expect(advice("17_role.sql")).toContain("supabase/roles.sql");
  expect(summary).toEqual([
    "6 objects are missing: public.profiles, type public.mood, function public.is_admin, schema private, column first.colour, public.nothing (made in a dashboard or by another tool: homebase db dump --db-url URL has them)",
    "1 object is missing: role shop_reader (create role in supabase/roles.sql)",
    "1 object is created by no earlier file: extension vector (create extension if not exists)",
    "2 objects are created twice: first, label (remove one of the two, or guard the second)",
    "Order these files so: 04_later.sql before 03_uses_later.sql",
    "1 object is used after a drop or a rename: public.later (write for what is there then)",
    expect.stringContaining("05_version.sql: It has the same version as"),
    '10_broken.sql:1: syntax error at or near ")"',
    "16_wrong_call.sql:1: function round(double precision, integer) does not exist",
    "1 more file fails because of these",
  ]);
  expect(stderr).toContain(JSON.stringify(`In short:\n  ${summary[0]}\n`).slice(1, -1));
}, 180_000);

test("objects that are made in blocks, by renames and in other schemas are found", async () => {
  const { short, problems, summary } = await failing({
    "migrations/01_order.sql": "create table public.a (mood public.mood);\ncreate table public.b ();\n",
    "migrations/02_block.sql":
      "do $$ begin create type public.mood as enum ('a'); exception when duplicate_object then null; end $$;\n",
    "migrations/03_alter.sql": "alter table public.renamed add column name text;\n",
    "migrations/04_rename.sql":
      "create table public.before (id int);\nalter table public.before rename to renamed;\n",
    "migrations/05_below.sql":
      'create policy own on public."Odd" using (true);\ncreate table public."Odd" (id int);\n',
    "migrations/06_policies.sql":
      'create policy "a. b" on public.renamed using (true);\ncreate policy "a. b" on public.renamed using (true);\n',
  });
  expect(short).toEqual([
    "01_order.sql wrong-order",
    "03_alter.sql wrong-order",
    "05_below.sql wrong-order",
    "06_policies.sql created-twice",
  ]);
  expect(problems[1]?.advice).toMatch(
    /`public\.renamed` gets this name only in .*04_rename\.sql:2: use the earlier name/,
  );
  expect(summary).toEqual([
    "1 object is created twice: a. b (remove one of the two, or guard the second)",
    "Order these files so: 02_block.sql before 01_order.sql, 04_rename.sql before 03_alter.sql",
    "In 05_below.sql move line 2 above line 1",
  ]);
}, 180_000);

test("files beside the migrations are not searched through links", async () => {
  const other = mkdtempSync(join(tmpdir(), "homebase-other-"));
  writeFileSync(join(other, "schema.sql"), "create table public.articles (id int);\n");
  one = new Project({ "migrations/01_link.sql": "alter table public.articles add column slug text;\n" });
  symlinkSync(other, join(one.folder, "db"));
  const { stdout } = await one.run("doctor", "--migrations", "--json");
  rmSync(other, { recursive: true });
  expect(JSON.parse(stdout).failing).toMatchObject([{ fault: "created-nowhere" }]);
}, 180_000);

test("what a file beside the migrations creates is named with the command that makes it one", async () => {
  const { short, problems } = await failing({
    "migrations/002_link.sql": "alter table public.articles add column slug text;\n",
    "migrations/003_view.sql": "create view public.latest as select * from public.notes;\n",
    "migrations/notes.sql": "create table public.notes (id int);\n",
    "schema.sql": "create table if not exists public.articles (id int);\n",
  });
  expect(short).toEqual(["002_link.sql not-a-migration", "003_view.sql not-a-migration"]);
  expect(problems.map(({ advice }) => advice)).toEqual([
    expect.stringMatching(
      /created only in supabase.schema\.sql:1, which is not a migration and is never run\. .*: cp supabase.schema\.sql supabase\/migrations\/0_schema\.sql$/,
    ),
    expect.stringContaining("cp supabase/migrations/notes.sql supabase/migrations/0_notes.sql"),
  ]);
}, 180_000);

test("what only the seed creates is said to run after all migrations", async () => {
  const { short, problems } = await failing({
    "migrations/01_uses.sql": "alter table public.articles add column slug text;\n",
    "seed.sql": "create table if not exists public.articles (id int);\n",
  });
  expect(short).toEqual(["01_uses.sql not-a-migration"]);
  expect(problems[0]?.advice).toMatch(
    /created only in the seed \(.*seed\.sql:1\), which runs after all migrations/,
  );
}, 180_000);

test("frequent mistakes of statements are named with a way on", async () => {
  const { problems } = await failing({
    "migrations/01_semicolon.sql": "create table public.one (id int)\n\ncreate table public.two (id int);\n",
    "migrations/02_block.sql": "do $$ begin\n  execute $$ create table public.x () $$;\nend $$;\n",
    "migrations/03_role.sql": "create role app;\nalter role app with nosuperuser login;\n",
    "migrations/04_cron.sql": "create extension pg_cron;\nselect cron.alter_job(2, active := false);\n",
    "migrations/05_cron.sql": "create extension pg_cron;\nupdate cron.job set active = true;\n",
    "migrations/06_dump.sql":
      "SET row_security = off;\nCREATE SCHEMA auth;\nALTER SCHEMA auth OWNER TO supabase_admin;\n",
  });
  expect(problems.map(({ advice }) => advice)).toEqual([
    expect.stringContaining("semicolon missing"),
    expect.stringContaining("ends at its second $$"),
    expect.stringContaining("homebase db dump --role-only"),
    expect.stringContaining("Find it by its name"),
    expect.stringContaining("Use cron.alter_job"),
    expect.stringContaining("this is a dump of a whole database"),
  ]);
}, 180_000);

test("an object of an extension that no file creates is told with its extension, unless the extension is there", async () => {
  const { short, problems } = await failing({
    "migrations/01_class.sql":
      "create table public.words (word text);\ncreate index on public.words using gin (word gin_trgm_ops);\n",
    "migrations/02_jobs.sql": "select cron.schedule('x', '* * * * *', 'select 1');\n",
    "migrations/03_shapes.sql": "select st_makepoint(1, 2);\n",
    "migrations/04_there.sql":
      "create schema words; create extension fuzzystrmatch with schema words;\nselect levenshtein('a', 'b');\n",
    "migrations/05_spheres.sql": "select ll_to_earth(1, 2);\n",
    "migrations/06_other.sql":
      "create table public.one (id int);\ncreate index on public.one using own_method (id);\n",
    "migrations/07_late.sql": "create extension pg_cron;\n",
  });
  expect(short.slice(0, 3)).toEqual([
    "01_class.sql extension-missing",
    "02_jobs.sql extension-missing",
    "03_shapes.sql extension-missing",
  ]);
  expect(problems[0]?.advice).toContain(
    "The operator class `gin_trgm_ops` is used in supabase/migrations/01_class.sql:2 and belongs to the extension pg_trgm",
  );
  expect(problems[1]?.advice).toContain("create extension if not exists pg_cron with schema pg_catalog;");
  expect(problems[3]?.advice).toBeUndefined();
  expect(problems[4]?.advice).toContain(
    "create extension if not exists earthdistance with schema extensions cascade;",
  );
  expect(problems[5]?.advice).toBeUndefined();
}, 180_000);

test("a start says what kind of fault it is, also with files of earlier starts", async () => {
  one = new Project({ "migrations/01_first.sql": "create table public.first (id int);\n" });
  await one.start();
  one.write("migrations/02_twice.sql", "create table public.first (id int);\n");
  await one.says(/`first` is created twice: in supabase.migrations.01_first\.sql:1, and again/);
}, 180_000);

test("a start with files that wait for the failed one names the command that tries each", async () => {
  one = new Project({
    "migrations/01_broken.sql": "select nothing;\n",
    "migrations/02_later.sql": "select 1;\n",
  });
  await one.startUntil(/02_later\.sql\. Every file that fails: homebase doctor --migrations/);
  await one.remove();
  one = new Project({
    "migrations/01_broken.sql": "select nothing;\n",
    "migrations/02_later.sql": "select 1;\n",
    "seed.sql": "select 1;\n",
  });
  await one.startUntil(/02_later\.sql, and the seed\. Every file that fails: homebase doctor --migrations/);
}, 180_000);

test("a folder without faults is ready, and a seed pattern without a file is named with a way on", async () => {
  one = new Project({
    "config.toml": 'project_id = "x"\n[db.seed]\nsql_paths = ["./seeds/*.sql"]\n',
    "migrations/01_first.sql": "create table public.first (id int);\n",
    "migrations/01_second.sql": "select 1;\n",
  });
  const refused = await one.run("doctor");
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("same version as")]);
  expect(refused.stdout).toMatch(/No file matches \.\/seeds\/\*\.sql .*sql_paths/);
}, 180_000);

test("a seed file that needs a later one is told what orders them", async () => {
  const { problems } = await failing({
    "config.toml": '[db.seed]\nsql_paths = ["./seeds/*.sql"]\n',
    "seeds/1_rows.sql": "insert into late values (1);",
    "seeds/2_tables.sql": "create table late (id int);",
  });
  expect(problems).toMatchObject([
    {
      file: "supabase/seeds/1_rows.sql",
      fault: "wrong-order",
      advice: expect.stringContaining("[db.seed] sql_paths"),
    },
  ]);
});
