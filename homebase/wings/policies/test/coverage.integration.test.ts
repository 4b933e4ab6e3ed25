/**
 * Coverage of policies: in a project with twenty parts that tests do not decide, these are found and no others; and the
 * changes that its tests miss are those that `policies mutate` shows.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Project } from "../../../test/cli/project.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

interface Case {
  name: string;
  columns?: string;
  /** Rows of the table, as VALUES. */
  rows?: string;
  policy: string;
  /** What the test does as a person who is signed in; it reads the table by default. */
  does?: string;
  /** Verdicts that no test decides, below the table's name. */
  missing: string[];
}

const READ = (name: string) => `perform count(*) from public.${name}`;
const refused = (statement: string) =>
  `begin ${statement}; exception when insufficient_privilege then null; end`;

const CASES: Case[] = [
  { name: "both", rows: "(true), (false)", policy: "for select using (a)", missing: [] },
  { name: "constant", rows: "(true)", policy: "for select using (true)", missing: [] },
  { name: "only_true", rows: "(true)", policy: "for select using (a)", missing: ["using false"] },
  { name: "only_false", rows: "(false)", policy: "for select using (a)", missing: ["using true"] },
  { name: "unknown", rows: "(null)", policy: "for select using (a)", missing: ["using true", "using false"] },
  {
    name: "never",
    rows: "(true)",
    policy: "for select using (a)",
    does: "",
    missing: ["using true", "using false"],
  },
  {
    name: "conjunction",
    columns: "a bool, b bool",
    rows: "(true, true), (true, false)",
    policy: "for select using (a and b)",
    missing: ["using/1 false"],
  },
  {
    name: "disjunction",
    columns: "a bool, b bool",
    rows: "(true, false), (false, true)",
    policy: "for select using (a or b)",
    missing: ["using/2 false"],
  },
  {
    name: "negation",
    columns: "a bool, b bool",
    rows: "(false, false), (false, true)",
    policy: "for select using (not a and b)",
    missing: ["using/1.1 true"],
  },
  {
    name: "checked",
    policy: "for insert with check (a)",
    does: "insert into public.checked values (true)",
    missing: ["check false"],
  },
  {
    name: "refusing",
    policy: "for insert with check (a)",
    does: refused("insert into public.refusing values (false)"),
    missing: ["check true"],
  },
  {
    name: "checked_both",
    policy: "for insert with check (a)",
    does: `insert into public.checked_both values (true); ${refused("insert into public.checked_both values (false)")}`,
    missing: [],
  },
  // A policy for everything without a check has its condition as one.
  {
    name: "everything",
    rows: "(true), (false)",
    policy: "for all using (a)",
    missing: ["check true", "check false"],
  },
  {
    name: "restricted",
    rows: "(true)",
    policy: "for select using (true)",
    missing: ["using false"],
  },
  {
    name: "subquery",
    columns: "id int",
    rows: "(1)",
    policy: "for select using (exists (select from public.both b where b.a))",
    missing: ["using false"],
  },
  {
    name: "by_function",
    columns: "a bool, b bool",
    rows: "(true, true), (false, true)",
    policy: "for select using (private.holds(a, b))",
    missing: [],
  },
  {
    name: "by_list",
    columns: "id int",
    rows: "(1), (2)",
    policy: "for select using (id in (select private.listed()))",
    missing: [],
  },
  {
    name: "for_anon",
    rows: "(true), (false)",
    policy: "for select to anon using (a)",
    missing: ["using true", "using false"],
  },
  {
    name: "for_both",
    rows: "(true), (false)",
    policy: "for select to anon, authenticated using (a)",
    missing: [],
  },
];
const FUNCTIONS_MISSING = ["private.holds(x boolean, y boolean)/1.2 false", "private.listed()/1.2 false"];

const SQL = `
create schema private;
grant usage on schema private to anon, authenticated;
create table private.list (id int, on_list bool, kept bool);
insert into private.list values (1, true, true), (2, false, true);
create function private.holds(x bool, y bool) returns bool language sql stable begin atomic select x and y; end;
-- Its body is a string, and its path leads to the table.
create function private.listed() returns setof int language sql stable security definer set search_path = private
  as 'select id from list where on_list and kept';
create function private.other() returns bool language plpgsql stable as 'begin return true; end';
${CASES.map(
  ({ name, columns = "a bool", rows, policy }) =>
    `create table public.${name} (${columns}); ${rows ? `insert into public.${name} values ${rows};` : ""}
     alter table public.${name} enable row level security; create policy "rule" on public.${name} ${policy};`,
).join("\n")}
create policy "narrow" on public.restricted as restrictive for select using (a and private.other());
`;

const DECIDES = `begin; select plan(1);
set local role authenticated;
do $$ begin ${CASES.map(({ name, does = READ(name) }) => (does === "" ? "" : `${does};`)).join("\n")} end $$;
reset role;
select pass('asked'); select * from finish(); rollback;`;

const expected = [
  ...CASES.flatMap(({ name, missing }) =>
    missing.map((one) => `public.${name}/${name === "restricted" ? "narrow" : "rule"}/${one}`),
  ),
  // The restricted table's second part calls a function that says true to each row.
  "public.restricted/narrow/using/1 false",
  "public.restricted/narrow/using/2 false",
  ...FUNCTIONS_MISSING,
]
  .filter((one) => one !== "public.restricted/narrow/using false")
  .sort();

const project = new Project({ "migrations/20260101000000_rules.sql": SQL, "tests/decides.sql": DECIDES });
beforeAll(() => {
  project.environment = { HOMEBASE_COVERAGE: "1" };
});
afterAll(() => project.remove());

interface Part {
  id: string;
  missing: string[];
  decisions: { role?: string; true: number; false: number; unknown: number }[];
}
async function coverage(): Promise<{ percent: number; parts: Part[]; lost: string[]; uncounted: unknown[] }> {
  const { code, stdout, stderr } = await project.run("policies", "coverage", "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
const missingOf = (parts: readonly Part[]) =>
  parts.flatMap(({ id, missing }) => missing.map((verdict) => `${id} ${verdict}`)).sort();

test("without a counted run it says how to make one", async () => {
  const { code, stderr } = await project.run("policies", "coverage");
  expect(code).toBe(1);
  expect(stderr).toContain("HOMEBASE_COVERAGE=1 homebase test db");
});

test("what no test decides is found, and nothing else", async () => {
  const tested = await project.run("test", "db");
  expect(tested.code, tested.stdout + tested.stderr).toBe(0);
  const { parts, percent, lost, uncounted } = await coverage();
  expect(expected.length).toBeGreaterThanOrEqual(20);
  expect(missingOf(parts)).toEqual(expected);
  expect(percent).toBeLessThan(100);
  expect(lost).toEqual([]);
  expect(uncounted).toEqual([
    { function: "private.other()", reason: "it is written in plpgsql, so only its value is shown" },
  ]);
});

test("decisions are counted for each role, and unknown is a verdict of its own", async () => {
  const { parts } = await coverage();
  const counts = (id: string) => parts.find((one) => one.id === id)?.decisions;
  expect(counts("public.for_both/rule/using")).toEqual([
    { role: "anon", true: 0, false: 0, unknown: 0 },
    { role: "authenticated", true: 1, false: 1, unknown: 0 },
    { role: "others", true: 0, false: 0, unknown: 0 },
  ]);
  expect(counts("public.unknown/rule/using")?.[1]).toEqual({
    role: "authenticated",
    true: 0,
    false: 0,
    unknown: 1,
  });
  expect(counts("private.listed()/1.1")).toEqual([{ true: 1, false: 1, unknown: 0 }]);
});

test("the last run of a test file counts, and a deleted file counts no more", async () => {
  const file = (select: string, end = "rollback;") => `begin; select plan(1);
insert into public.only_true values (false); set local role authenticated; ${select}; reset role;
select pass('asked'); select * from finish(); ${end}`;
  const missing = async () => {
    const tested = await project.run("test", "db");
    expect(tested.code, tested.stdout + tested.stderr).toBe(0);
    return missingOf((await coverage()).parts);
  };
  const covered = expected.filter((one) => one !== "public.only_true/rule/using false");
  // The second one leaves traces, so that it runs in a database with others of its kind.
  for (const end of ["rollback;", "delete from public.only_true where not a; commit;"]) {
    project.write("tests/a_more.sql", file("select from public.only_true", end));
    project.write(
      "tests/a_trace.sql",
      file("select from public.both", "delete from public.only_true where not a; commit;"),
    );
    const now = async () => missingOf((await coverage()).parts);
    expect(await missing()).toEqual(covered);
    rmSync(join(project.folder, "supabase/tests/a_more.sql"));
    expect(await now()).toEqual(expected);
    project.write("tests/a_more.sql", file("select 1", end));
    expect(await now()).toEqual(covered);
    expect(await missing()).toEqual(expected);
    rmSync(join(project.folder, "supabase/tests/a_more.sql"));
    rmSync(join(project.folder, "supabase/tests/a_trace.sql"));
  }
});

test("a Backend of a test counts too, and one whose process is killed is named as lost", async () => {
  const run = (end: string) =>
    spawnSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `const { createBackend } = await import(${JSON.stringify(join(import.meta.dirname, "../../../src/testing/index.ts"))});
         const backend = await createBackend();
         await fetch(backend.url + "/rest/v1/only_true", { method: "HEAD", headers: { apikey: backend.publishableKey } });
         await fetch(backend.url + "/rest/v1/for_anon", { headers: { apikey: backend.publishableKey } });
         ${end}`,
      ],
      {
        cwd: project.folder,
        encoding: "utf8",
        env: {
          ...process.env,
          HOMEBASE_COVERAGE: "1",
          HOMEBASE_TEST_CLUSTER: process.env.HOMEBASE_TEST_CLUSTER,
        },
      },
    );
  expect(run("await backend.drop(); process.exit(0)").stderr).toBe("");
  const dropped = await coverage();
  expect(missingOf(dropped.parts)).toEqual(expected.filter((one) => !one.startsWith("public.for_anon/")));
  expect(dropped.lost).toEqual([]);
  expect(run("process.kill(process.pid, 'SIGKILL')").signal).toBe("SIGKILL");
  expect((await coverage()).lost).toEqual([expect.stringMatching(/^test_\d+/)]);
});

test("--min ends with 1, and a reason in untested.txt stands for a verdict", async () => {
  const low = await project.run("policies", "coverage", "--min", "100");
  expect(low.code).toBe(1);
  expect(low.stderr).toMatch(/\d % of the verdicts were seen, fewer than 100 %/);
  expect(low.stdout).toContain(
    "public.only_true/rule/using\n    a select by anon or authenticated of a row that makes it false",
  );
  const { parts } = await coverage();
  project.write(
    "untested.txt",
    missingOf(parts)
      .map((one) => `${one}: tried here`)
      .join("\n"),
  );
  expect((await project.run("policies", "coverage", "--min", "100")).code).toBe(0);
  project.write("untested.txt", "public.both/rule/using true: it is not");
  const wrong = await project.run("policies", "coverage");
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining("public.both/rule/using was true: remove its line."),
  ]);
  project.write("untested.txt", "");
});

test("a file of tests may have policies as they are, and a page has all conditions", async () => {
  project.write(
    "tests/reads.sql",
    `-- coverage: off
begin; select plan(1);
select is(pg_get_expr(polqual, polrelid), 'a', 'as written') from pg_policy where polrelid = 'public.both'::regclass;
select * from finish(); rollback;`,
  );
  const tested = await project.run("test", "db", "supabase/tests/reads.sql");
  expect(tested.code, tested.stdout).toBe(0);
  const { stdout } = await project.run("policies", "coverage", "--html", join(project.folder, "page.html"));
  expect(stdout).toContain(
    "Not counted, because the test reads policies as they are:\n  supabase/tests/reads.sql",
  );
});

test("a change of a migration begins a new count", async () => {
  project.write("migrations/20260102000000_more.sql", "create table public.more (a bool);");
  expect((await project.run("policies", "coverage")).code).toBe(1);
});
