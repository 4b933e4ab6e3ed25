/** `homebase doctor --write` as a developer runs it: what it refuses, what it prints, and what it leaves. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { refuseUncommitted } from "../../src/cli/commands/doctor/committed.ts";
import { loadConfig } from "../../src/config/config.ts";
import { readMigrations } from "../../src/postgres/files/project-files.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { carryOut } from "../../src/tools/repair/carry-out.ts";
import { planRepair } from "../../src/tools/repair/repair-plan.ts";
import { Project } from "./project.ts";

const BROKEN = {
  "migrations/20240101000000_uses.sql": "create table public.uses (id int references public.made);\n",
  "migrations/20240101000000_view.sql": "create view public.seen as select id from public.uses;\n",
  "migrations/20240102000000_made.sql": `create table public.made (id int primary key);
create policy own on public.profiles using (user_id = auth.uid());
`,
};

let one: Project;
afterEach(() => one.remove(), 180_000);

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.test", ...args], {
    cwd: one.folder,
    encoding: "utf8",
  });
function commit(): void {
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "All");
}
const migrations = () => readdirSync(join(one.folder, "supabase/migrations")).sort();

test("without a commit, with changes and without a terminal nothing is changed", async () => {
  one = new Project(BROKEN);
  const before = migrations();
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await one.run("doctor", ...args);
    expect(migrations()).toEqual(before);
    return [code, stderr.trim()];
  };
  expect(await refusal("--yes")).toEqual([2, "Error: --yes is for --write."]);
  expect(await refusal("--write", "--yes")).toEqual([1, expect.stringContaining("is in no git repository")]);
  git("init", "-q");
  expect(await refusal("--write", "--yes")).toEqual([1, expect.stringContaining("has no commit yet")]);
  commit();
  one.write("migrations/20240103000000_new.sql", "select 1;\n");
  before.push("20240103000000_new.sql");
  one.write("seed.sql", "select 1;\n");
  expect(await refusal("--write", "--yes")).toEqual([
    1,
    "Error: In no commit yet, so a repair could not be undone: supabase/seed.sql, supabase/migrations/20240103000000_new.sql. Commit first: git add supabase && git commit. Nothing was changed.",
  ]);
  commit();
  expect(await refusal("--write")).toEqual([
    1,
    "Error: There is no terminal to ask for confirmation: add --yes. Nothing was changed.",
  ]);
  const { code, stdout } = await one.run("doctor", "--write", "--json");
  expect([code, JSON.parse(stdout).repair]).toMatchObject([1, { plan: { failing: 3, left: [] }, done: [] }]);
  expect(migrations()).toEqual(before);
  expect((await one.run("doctor", "--migrations")).stderr).toMatch(/by: homebase doctor --write\n$/);
  const done = JSON.parse((await one.run("doctor", "--write", "--yes", "--json")).stdout);
  expect(done).toMatchObject({
    repair: { plan: { writes: [{ objects: ["table public.profiles"] }] } },
    failing: [],
    problems: [],
  });
  expect(done.repair.done).toEqual([
    expect.stringMatching(/^renamed .*view\.sql to /),
    expect.stringMatching(/^renamed .*uses\.sql to /),
    "wrote supabase/migrations/20240101235959_base.sql",
  ]);
}, 180_000);

test("what is printed is done, git has it as renames and one file, and the stack starts", async () => {
  one = new Project(BROKEN);
  commit();
  const { code, stdout } = await one.run("doctor", "--write", "--yes");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Ready to start.")]);
  expect(stdout.split("\n").slice(0, 11)).toEqual([
    "The repair:",
    "  write supabase/migrations/20240101235959_base.sql, guessed from the statements that use it: table public.profiles",
    "    It has only what statements name. The real objects: homebase db pull --db-url URL",
    "  rename supabase/migrations/20240101000000_view.sql to 20240102000002_view.sql: its version stands twice",
    "  rename supabase/migrations/20240101000000_uses.sql to 20240102000001_uses.sql: it needs 20240102000000_made.sql",
    "    A database that has run a renamed file knows its old version: homebase reset, or supabase migration repair",
    "Then every file can be applied; 3 fail now.",
    "  renamed supabase/migrations/20240101000000_view.sql to supabase/migrations/20240102000002_view.sql",
    "  renamed supabase/migrations/20240101000000_uses.sql to supabase/migrations/20240102000001_uses.sql",
    "  wrote supabase/migrations/20240101235959_base.sql",
    "Ready to start.",
  ]);
  expect(readFileSync(join(one.folder, "supabase/migrations/20240101235959_base.sql"), "utf8")).toContain(
    '"user_id" uuid -- guessed from supabase/migrations/20240102000000_made.sql:2',
  );
  git("add", "-A");
  expect(git("status", "--short").trim().split("\n")).toEqual([
    "A  supabase/migrations/20240101235959_base.sql",
    "R  supabase/migrations/20240101000000_uses.sql -> supabase/migrations/20240102000001_uses.sql",
    "R  supabase/migrations/20240101000000_view.sql -> supabase/migrations/20240102000002_view.sql",
  ]);
  const again = await one.run("doctor", "--write", "--json");
  expect([again.code, JSON.parse(again.stdout).repair]).toEqual([
    0,
    { plan: { writes: [], renames: [], moves: [], failing: 0, left: [] }, done: [] },
  ]);
  await one.start();
  expect((await one.run("doctor", "--write", "--yes")).stderr).toContain("Stop it first: homebase stop");
}, 180_000);

test("an interrupted repair goes on, after whichever step", async () => {
  one = new Project(BROKEN);
  commit();
  const config = loadConfig({ from: one.folder, environment: {} });
  const cluster = await testCluster(one.folder);
  const plan = await planRepair(cluster, config);
  for (let steps = 1; steps <= 3; steps += 1) {
    git("checkout", "-q", "--", ".");
    git("clean", "-fdq", "supabase");
    let left = steps;
    const interrupted = () =>
      carryOut(config, plan, () => {
        left -= 1;
        if (left === 0) throw new Error("interrupted");
      });
    expect(interrupted).toThrow("interrupted");
    refuseUncommitted(config);
    carryOut(config, await planRepair(cluster, config), () => {});
    expect((await planRepair(cluster, config)).failing).toBe(0);
    expect(readMigrations(config).map(({ name }) => name)).toEqual(["base", "made", "uses", "view"]);
    expect(migrations()).toHaveLength(4);
  }
}, 180_000);

test("statements are moved within a file, its columns and roles written beside it, and an interruption goes on", async () => {
  one = new Project({
    "migrations/20240101000000_later.sql": `-- All of it

create view public.titles as select title from public.notes;
-- what people write
create table public.notes (id int primary key, title text);
`,
    "migrations/20240102000000_lacks.sql":
      "create policy own on public.notes to clerk using (owner_id = auth.uid() and colour is not null);\n",
  });
  commit();
  const first = await one.run("doctor", "--write", "--json");
  expect(JSON.parse(first.stdout).repair.plan).toMatchObject({
    moves: [{ path: "supabase/migrations/20240101000000_later.sql", moves: [{ line: 5, above: 3 }] }],
    left: [],
  });
  const config = loadConfig({ from: one.folder, environment: {} });
  const plan = await planRepair(await testCluster(one.folder), config);
  expect(() =>
    carryOut(config, plan, () => {
      throw new Error("interrupted");
    }),
  ).toThrow("interrupted");
  expect(migrations()).toHaveLength(2);
  const { code, stdout } = await one.run("doctor", "--write", "--yes");
  expect([code, stdout]).toEqual([0, expect.stringContaining("Ready to start.")]);
  expect(stdout).toContain(
    "write supabase/migrations/20240101000001_additions.sql, guessed from the statements that use it: column public.notes.owner_id, column public.notes.colour",
  );
  const text = (name: string) => readFileSync(join(one.folder, "supabase/migrations", name), "utf8");
  expect(text("20240101000000_later.sql")).toBe(`-- All of it

-- what people write
create table public.notes (id int primary key, title text);
create view public.titles as select title from public.notes;
`);
  expect(text("20240101000001_additions.sql")).toContain(
    'add column "colour" text; -- guessed from supabase/migrations/20240102000000_lacks.sql:1; no statement shows its type: is it text?',
  );
  expect(text("20231231235959_base.sql")).toContain('create role "clerk" nologin;');
  const again = await one.run("doctor", "--write", "--json");
  expect([again.code, JSON.parse(again.stdout).repair.plan.failing]).toEqual([0, 0]);
  one.write("migrations/20240101000000_later.sql", "select 1;\n");
  expect((await one.run("doctor", "--write", "--yes")).stderr).toContain("In no commit yet");
  git("checkout", "-q", "--", ".");
  await one.start();
}, 180_000);

test("no file is overwritten, no link renamed, and nothing written through one", async () => {
  one = new Project(BROKEN);
  commit();
  const config = loadConfig({ from: one.folder, environment: {} });
  const plan = await planRepair(await testCluster(one.folder), config);
  const before = migrations();
  const at = (path = "") => join(one.folder, path);
  const refusal = (taken: string | undefined, text: RegExp) => {
    writeFileSync(at(taken), "mine");
    expect(() => carryOut(config, plan, () => {})).toThrow(text);
    expect(readFileSync(at(taken), "utf8")).toBe("mine");
    rmSync(at(taken));
    expect(migrations()).toEqual(before);
  };
  refusal(plan.writes[0]?.path, /base\.sql exists already\. Nothing was changed/);
  refusal(plan.renames[1]?.to, /uses\.sql exists already\. Nothing was changed/);
  const from = plan.renames[0]?.from ?? "";
  writeFileSync(at("supabase/view.sql"), readFileSync(at(from)));
  rmSync(at(from));
  symlinkSync("../view.sql", at(from));
  expect(() => carryOut(config, plan, () => {})).toThrow(/view\.sql is a link or no file/);
  expect(migrations()).toEqual(before);
  const outside = mkdtempSync(join(tmpdir(), "homebase-outside-"));
  rmSync(at("supabase/migrations"), { recursive: true });
  mkdirSync(join(outside, "empty"));
  symlinkSync(join(outside, "empty"), at("supabase/migrations"));
  expect(() => carryOut(config, { ...plan, renames: [] }, () => {})).toThrow(/is a link that leaves/);
  expect(readdirSync(join(outside, "empty"))).toEqual([]);
  rmSync(outside, { recursive: true });
}, 180_000);
