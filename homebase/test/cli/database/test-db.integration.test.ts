/** `homebase test db` and `test new` on a project of foreign habits: set-up files, psql commands, failures, errors. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Project } from "../project.ts";

vi.setConfig({ testTimeout: 180_000 });

const FILES = {
  "migrations/20260101000000_notes.sql":
    "create table public.notes (id int primary key generated always as identity, body text not null);\nalter table public.notes enable row level security;\n",
  "seed.sql": "insert into public.notes (body) values ('seeded');\n",
  "tests/000-setup-tests-hooks.sql":
    "create extension if not exists pgtap with schema extensions;\ncreate schema tests;\ncreate function tests.answer() returns int language sql return 42;\nbegin;\nselect plan(1);\nselect ok(true, 'set up');\nselect * from finish();\nrollback;\n",
  "tests/below/notes.test.sql":
    "\\set QUIET 1\n\\pset format unaligned\nbegin;\n\\ir ../shared/plan.psql\nselect is((select count(*)::int from public.notes), 1, 'one seeded note');\ninsert into public.notes (body) values ('mine');\nselect is(tests.answer(), 42, 'helpers of the set-up file');\nselect * from finish();\nrollback;\n",
  "tests/shared/plan.psql": "select plan(2);\n",
};
const project = new Project(FILES);
beforeAll(() =>
  project.write(
    "tests/other.sql",
    "begin; select no_plan(); select is((select count(*)::int from public.notes), 1); select * from finish(); rollback;",
  ),
);
afterAll(() => project.remove());

test("files run in databases of their own, after the set-up file, without a stack", async () => {
  const { code, stdout, stderr } = await project.run("test", "db");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^ok {5}supabase\/tests\/000-setup-tests-hooks\.sql \(1 test/);
  expect(stdout).toMatch(/Files=3, Tests=4, .*\nResult: PASS\n$/);
});

test("a test that wants a refusal is told that new tables are open, where the config does not say", async () => {
  project.write(
    "tests/open/refused.sql",
    "begin;\nselect plan(1);\nset role anon;\nselect throws_ok('select * from public.notes', '42501');\nselect * from finish();\nrollback;\n",
  );
  expect((await project.run("test", "db", "supabase/tests/open")).stderr).toMatch(
    /1 of 1 files failed\.\nNew tables are open here because api\.auto_expose_new_tables is not set/,
  );
});

test("a failure, an error and a broken plan are told with their place, and the exit code is 1", async () => {
  project.write(
    "tests/z/fails.sql",
    "begin;\nselect plan(1);\nselect is(1, 2, 'one is two');\nselect * from finish();\nrollback;\n",
  );
  project.write(
    "tests/z/breaks.sql",
    "begin;\nselect plan(2);\nselect pass('first');\nselect is(\n  nowhere(), 1);\nrollback;\n",
  );
  project.write(
    "tests/z/short.sql",
    "begin;\nselect plan(2);\nselect pass('first');\nselect * from finish();\nrollback;\n",
  );
  project.write(
    "tests/z/todo.sql",
    "begin;\nselect plan(2);\nselect todo('later', 1);\nselect fail('not yet');\nselect skip('no reason', 1);\nselect * from finish();\nrollback;\n",
  );
  const { code, stdout, stderr } = await project.run("test", "db", "supabase/tests/z", "--json");
  expect(code).toBe(1);
  expect(stderr).toContain("3 of 4 files failed.");
  const { result, files } = JSON.parse(stdout);
  expect(result).toBe("FAIL");
  const byName = Object.fromEntries(
    files.map((one: { path: string }) => [one.path.replace(/^.*\//, ""), one]),
  );
  expect(byName["fails.sql"].assertions[0]).toMatchObject({ passed: false, description: "one is two" });
  expect(byName["fails.sql"].assertions[0].diagnostics.join("\n")).toMatch(/have: 1[\s\S]*want: 2/);
  expect(byName["breaks.sql"].error).toMatch(
    /^supabase\/tests\/z\/breaks\.sql:5: function nowhere\(\) does not exist/,
  );
  expect(byName["short.sql"].error).toContain("announced 2 tests and ran 1");
  expect(byName["todo.sql"]).toMatchObject({ passed: true });
  expect((await project.run("test", "db", "supabase/tests/z/fails.sql")).stdout).toMatch(
    /^failed supabase[\s\S]* {2}not ok 1 - one is two\n[\s\S]*have: 1[\s\S]*Result: FAIL/,
  );
});

test("what is not understood is said", async () => {
  project.write("tests/y.sql", "select 1;\n\\copy notes from 'x'\n");
  const { code, stderr } = await project.run("test", "db", "supabase/tests/y.sql");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      "supabase/tests/y.sql:2: \\copy notes from 'x' is a command of psql that is not built here",
    ),
  ]);
  expect((await project.run("test", "db", "--linked")).stderr).toContain("npx supabase test db --linked");
  expect((await project.run("migration", "list", "--remote")).stderr).toContain(
    "npx supabase migration list --linked",
  );
  expect((await project.run("test", "db", "nowhere")).stderr).toContain("There is no nowhere");
  expect((await project.run("test", "db", "--local", "supabase/tests/other.sql")).stderr).toContain(
    "is not running",
  );
  expect((await project.run("link")).stderr).toContain("npx supabase link");
});

test("a new file passes as it is, and is not written twice", async () => {
  expect((await project.run("test", "new", "fresh")).stdout).toBe("Wrote supabase/tests/fresh_test.sql\n");
  expect(readFileSync(join(project.folder, "supabase/tests/fresh_test.sql"), "utf8")).toContain("rollback;");
  expect((await project.run("test", "db", "supabase/tests/fresh_test.sql")).code).toBe(0);
  expect((await project.run("test", "new", "fresh")).code).toBe(1);
});

test("variables of psql are set, read from a query and filled in outside of strings", async () => {
  project.write(
    "tests/v/variables.sql",
    String.raw`begin;
\set first 'it''s'
\set table notes
select plan(12);
insert into public.notes (body) values (:'first') returning id \gset note_
select id as other, body, 'a\b' as slash, null as nothing from public.:table where id <> :note_id
\gset
select is((select body from public.notes where id = :note_id), 'it''s', 'a value of a row');
select is(:'body'::text, 'seeded', 'a literal');
select is((select:'slash'), 'a\b', 'a literal with a backslash behind a word');
select is((select count(*)::int from public.:"table"), 2, 'a name');
select is(':first', ':' || 'first', 'not in a string');
select is($$:'first'$$, ':' || '''first''', 'not between dollars');
select is((array[1, 2, 3])[1:2], array[1, 2], 'a part of an array stays one');
select is(:{?other} and not :{?nothing}, true, 'whether there is one');
select 7 as seven, 'x' as text;
\gset again_
select is(:again_seven, 7, 'the statement before, run again');
\set quoted '\'abc\''
\set odd '\x21\41\ttab'
select is(:quoted::text, 'abc', 'quotes in quotes');
select is(:'odd'::text, E'!!\ttab', 'bytes and letters in quotes');
\warn said elsewhere
\unset other
select is(:{?other}, false, 'a variable is removed');
select * from finish();
rollback;
`,
  );
  project.write(
    "tests/v/rows.sql",
    String.raw`begin;
select plan(1);
select 1 as a union all select 2 \gset
select pass();
rollback;
`,
  );
  const { code, stdout } = await project.run("test", "db", "supabase/tests/v", "--json");
  const [rows, variables] = JSON.parse(stdout).files;
  expect(variables.assertions.filter((one: { passed: boolean }) => !one.passed)).toEqual([]);
  expect([variables.error, variables.passed]).toEqual([undefined, true]);
  expect([code, rows.error]).toEqual([
    1,
    "supabase/tests/v/rows.sql:3: \\gset needs a query with one row, and this has 2",
  ]);
});

test("conditions of psql choose what runs, and output that goes elsewhere is none of the test's", async () => {
  project.write(
    "tests/c/conditions.sql",
    String.raw`-- Conditions may stand in each other.
\encoding UTF8
\if :{?fixture} \else \set fixture on \endif
begin;
\o /dev/null
select 'not ok 9 - elsewhere';
\o
select plan(5);
\ir ../parts/fixture.part
\if :fixture
  select pass('a variable that is set');
  \if no
    select fail('a branch inside that does not run');
    \if true
      select fail('a branch in a branch that does not run');
    \else
      select fail('nor its other one');
    \endif
  \elif yes
    select pass('the second branch');
  \elif true
    select fail('a third branch, after one has run');
  \else
    select fail('the last branch, after one has run');
  \endif
\else
  select broken syntax here;
\endif
select count(*) = 1 as seeded from public.notes \gset
\if :seeded
select is($$
  \s+ stays in a text
$$::text, E'\n  \\s+ stays in a text\n', 'no command');
\endif
select format('create temporary table t%s (n int)', n) from generate_series(1, 2) n \gexec
create table public.made as select 1 as n;
select is(n, 1, 'made') from public.made;
select is((select note from pg_temp.parts), 'included', 'a file');
select * from finish();
rollback;
\quit
this is never read
`,
  );
  project.write(
    "tests/parts/fixture.part",
    String.raw`\if :{?fixture}
create temporary table parts as select 'included' as note;
\endif
`,
  );
  project.write("tests/c/open.sql", "begin;\nselect plan(1);\n\\endif\nselect pass();\nrollback;\n");
  const { stdout } = await project.run("test", "db", "supabase/tests/c", "--json");
  const [conditions, open] = JSON.parse(stdout).files;
  expect(conditions.error).toBeUndefined();
  expect(conditions.assertions.map(({ description }: { description: string }) => description)).toEqual([
    "a variable that is set",
    "the second branch",
    "no command",
    "made",
    "a file",
  ]);
  expect(conditions.passed).toBe(true);
  expect(open.error).toBe("supabase/tests/c/open.sql:3: \\endif without \\if");
});
