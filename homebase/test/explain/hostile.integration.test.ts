/**
 * Policies and functions of a stranger's project, whose text runs code where it is parsed: what explains, counts and
 * changes them (the wing policies) never parses them with the superuser's rights.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Project } from "../cli/project.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const marks = mkdtempSync(join(tmpdir(), "homebase-hostile-policies-"));
chmodSync(marks, 0o777);
const touch = (name: string) => `copy (select 1) to program 'touch ${marks}/${name}'`;

/** Postgres calls the check of a domain in a composite, an array or a range where it reads a literal of that type. */
const LITERALS = {
  composite: "(('(x)'::public.pair).a) = body",
  arrays: "body = any ('{x}'::public.word[])",
  ranges: "upper('[a,b)'::public.words)::text = body",
};
/** A body of text that ends where it is put between BEGIN ATOMIC and END. */
const body = (name: string, rest: string) =>
  `select true; end; commit; begin; create table public.${name} (); commit; ${touch(name).replaceAll("'", "''")}; begin; create or replace function pg_temp.${name}${rest} returns boolean language sql begin atomic select true`;

/** What follows the line break would be a command of psql. */
const ROLE = "reader\n\\! touch x\n--";

const MIGRATION = `
create table public.notes (id int primary key, body text);
alter table public.notes enable row level security;
create function public.evil(given text) returns boolean language plpgsql as $$ begin
  begin ${touch("literal")}; exception when insufficient_privilege then null; end;
  return true; end $$;
create domain public.word as text check (public.evil(value));
create type public.pair as (a public.word);
create type public.words as range (subtype = public.word);
set check_function_bodies = off;
create function public.bodies(id int) returns boolean language sql as '${body("bodies", "(id int)")}';
reset check_function_bodies;
create function public.defaults(id int, p public.pair default '(x)') returns boolean language sql stable
  begin atomic select (p).a is not null and id > 0; end;
create function public.inner_literal(id int) returns boolean language sql stable
  begin atomic select exists (select from pg_catalog.pg_class c where c.relname = ('(x)'::public.pair).a and id > 0); end;
${Object.entries(LITERALS)
  .map(([name, text]) => `create policy ${name} on public.notes for select using (${text});`)
  .join("\n")}
create policy functions on public.notes for select using (public.bodies(id) and public.defaults(id) and public.inner_literal(id));
create policy checks on public.notes for insert with check (${LITERALS.composite});
grant select, insert on public.notes to anon;
create table public.single (id int primary key);
alter table public.single enable row level security;
create policy single on public.single for select using (public.bodies(id));
insert into public.single values (1);
create role "${ROLE}"; grant "${ROLE}" to postgres;
create table public.plain (id int primary key);
alter table public.plain enable row level security;
insert into public.plain values (1);
grant usage on schema public, extensions to "${ROLE}"; grant select on public.plain to "${ROLE}";
`;
const TEST = "begin; select plan(1); select pass(); select * from finish(); rollback;";
const project = new Project({ "migrations/20260101000000_a.sql": MIGRATION, "tests/a.sql": TEST });
afterAll(async () => {
  await project.remove();
  rmSync(marks, { recursive: true });
});

test("coverage and mutation run the project's code with the project's rights only", async () => {
  project.environment = { HOMEBASE_COVERAGE: "1" };
  const counted = await project.run("test", "db");
  expect(counted.code, counted.stderr).toBe(0);
  project.environment = {};
  const { code, stdout, stderr } = await project.run("policies", "mutate", "--json");
  expect(code, stderr).toBe(0);
  const changed = (JSON.parse(stdout) as { survivors: { id: string }[] }).survivors.map(({ id }) => id);
  const policies = [...Object.keys(LITERALS), "functions", "checks"];
  expect(changed).toEqual(expect.arrayContaining(policies.map((name) => `public.notes/${name}/removed`)));
  expect(changed).toEqual(expect.arrayContaining([expect.stringContaining("public.inner_literal(")]));
  expect(readdirSync(marks)).toEqual([]);
});

describe("with a running stack", () => {
  beforeAll(() => project.start());
  test("a name with line breaks stays in the comments and quotes of a made test", async () => {
    const words = ["make-test", "GET", "/rest/v1/plain", "--role", ROLE, "--json"];
    const { code, stdout, stderr } = await project.run(...words);
    expect(code, stderr).toBe(0);
    const sql = readFileSync(join(project.folder, JSON.parse(stdout).file), "utf8");
    const head = sql.slice(0, sql.indexOf("begin;")).split("\n").slice(0, -1);
    expect(head).toContainEqual(expect.stringContaining("touch x"));
    expect(head.filter((line) => !line.startsWith("--"))).toEqual([]);
  });

  test("explain changes nothing, whatever a function's body says", async () => {
    const { code, stdout, stderr } = await project.run("explain", "GET", "/rest/v1/single");
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("public.bodies");
    const made = await project.run(
      "db",
      "query",
      "select to_regclass('public.bodies') is null as kept",
      "--json",
    );
    expect(made.stdout).toMatch(/"kept":\s*"t"/);
  });
});
