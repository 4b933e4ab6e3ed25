/**
 * The scripts of 20 public repositories, unchanged, and the commands that scripts call, in one project with one stack: by
 * the command `supabase` that `homebase link-cli` makes. A line that several
 * repositories have, but for npx, pnpm or bun before it, runs once.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Run } from "../project.ts";
import { repositories } from "./foreign-scripts.ts";
import { LinkedProject } from "./linked-project.ts";

let linked: LinkedProject;
beforeAll(async () => {
  linked = new LinkedProject({
    "migrations/20260101000000_first.sql": "create table public.first (id int primary key, name text);\n",
    "migrations/20260102000000_second.sql": "create table public.second (id int primary key);\n",
    "seed.sql": "insert into public.first values (1, 'seeded');\n",
    "tests/first_test.sql":
      "begin;\nselect plan(1);\nselect has_table('public', 'first', 'there');\nselect * from finish();\nrollback;\n",
  });
  expect(linked.link()).toMatchObject({ code: 0, stderr: "" });
}, 180_000);
afterAll(() => linked?.remove(), 180_000);

/** A command, and what it prints. */
type Expected = readonly [line: string, output: RegExp];

/** Those that the real CLI 3.1.0 cannot run without Docker, and those that it can, but for the last six. */
const COMMANDS: readonly Expected[] = [
  ["start", /API_URL.*54321|API_URL/s],
  ["status", /API_URL/],
  ["status -o env", /^ANON_KEY="[^"]+"\nAPI_URL="http:/m],
  ["gen types typescript --local", /export type Database = /],
  ["db reset --yes", /Rebuilt/],
  ["db diff --local --use-migra", /^$/],
  ["db dump --local", /create table public\.first|CREATE TABLE .*first/i],
  ["db lint", /No schema errors found/],
  ["test new second", /Wrote supabase\/tests\/second_test\.sql/],
  ["test db", /Result: PASS/],
  ["migration new third", /^Created new migration at supabase\/migrations\/\d{14}_third\.sql\n$/],
  ["db reset --version 20260101000000", /Rebuilt up to 20260101000000/],
  ["migration up", /Applied supabase\/migrations\/20260102000000_second\.sql/],
  ["migration list --local", /20260101000000 +\| 20260101000000/],
  ["migration repair 20260102000000 --status applied --local", /\[20260102000000\] => applied/],
  ["functions new hello", /supabase\/functions\/hello/],
  ["seed buckets", /no buckets/],
  ["migration squash --local --version 20260102000000", /Squashed 2 migrations/],
];
/** Those that go to the real CLI, which runs them without Docker. */
const HANDED_ON = ["init --force", "services", "db push --local", "db advisors --local", "inspect db locks"];

test.each(COMMANDS)(
  "supabase %s",
  async (line, output) => {
    const run = await linked.run(`supabase ${line}`);
    expect(run, run.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(output) });
    expect(linked.calls()).toEqual([]);
  },
  180_000,
);

test.each(HANDED_ON)(
  "supabase %s gets to the real CLI word by word",
  async (line) => {
    expect(await linked.run(`supabase ${line}`)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(linked.calls()).toEqual([line.split(" ")]);
  },
  180_000,
);

test("status prints env, json, yaml and toml, also under other names", async () => {
  const renamed = "--override-name api.url=MY_URL --override-name auth.anon_key=MY_KEY,db.url=MY_DB";
  const url = linked.project.url;
  const env = await linked.run(`eval "$(supabase status -o env ${renamed})" && echo "$MY_URL $MY_DB"`);
  expect(env.stdout).toBe(`${url} ${linked.project.database}\n`);
  const json = JSON.parse((await linked.run(`supabase status -o json ${renamed}`)).stdout);
  expect(json).toMatchObject({ MY_URL: url, MY_KEY: expect.stringMatching(/^ey/) });
  expect(Object.values(json).every((value) => typeof value === "string")).toBe(true);
  expect((await linked.run(`supabase status -o yaml ${renamed}`)).stdout).toContain(`MY_URL: "${url}"\n`);
  expect((await linked.run(`supabase status -o toml ${renamed}`)).stdout).toContain(`MY_URL = "${url}"\n`);
  const wrong = await linked.run("supabase status --override-name api.uri=A");
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("api.url") });
}, 180_000);

test("an error ends with 1, as the CLI's, and says what is wrong", async () => {
  expect(await linked.run("supabase db reset --version 20200101000000")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("has the version 20200101000000"),
  });
  expect(await linked.run("supabase start")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("supabase start is already running."),
  });
}, 180_000);

test("stop --no-backup deletes the data, and status then ends with 1", async () => {
  const { database } = linked.project;
  expect((await linked.run("supabase stop --no-backup")).stdout).toBe("Stopped. The data is deleted.\n");
  expect((await linked.run("supabase status")).code).toBe(1);
  const started = await linked.run("supabase db start && supabase db dump --local --data-only");
  expect(started.stdout).toContain("seeded");
  expect(started.stdout).toContain(database);
  expect((await linked.run("supabase stop")).code).toBe(0);
}, 180_000);

test("a start whose migration fails says so, leaves nothing running, and ends with 1", async () => {
  const broken = "supabase/migrations/20260109000000_broken.sql";
  linked.write(broken, "create table public.first (id int);\n");
  const run = await linked.run("supabase start");
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("20260109000000_broken.sql") });
  expect((await linked.run(`supabase status; rm ${broken}`)).stderr).toContain("not running");
}, 180_000);

const RUNNERS = /\b(npx|pnpm|bunx?) (?=supabase )/g;
/** What each line did, which runs once for all that have it. */
const runs = new Map<string, { run: Run; calls: string[][] }>();
/** Whether the line before has stopped the stack. */
let stopped = true;

test.each(repositories)(
  "the scripts of $repository run unchanged",
  async ({ folder = ".", scripts }) => {
    linked.write(join(folder, "package.json"), JSON.stringify({ scripts: Object.fromEntries(scripts) }));
    for (const [name, line, where, argument = ""] of scripts) {
      const key = `${line} ${argument}`.trim();
      // Scripts that call others of their package.json differ by the folder.
      const id = line.includes("run") ? `${folder} ${key}` : key.replaceAll(RUNNERS, "");
      const first = !runs.has(id);
      if (first) {
        for (const [, file = ""] of line.matchAll(/(?:>|tee) ([\w./-]+)/g))
          if (file !== "/dev/null")
            mkdirSync(dirname(join(linked.folder, folder, file)), { recursive: true });
        if (stopped && where !== "real" && !line.includes("start")) await linked.run("supabase start");
        runs.set(id, { run: await linked.run(key, folder), calls: linked.calls() });
        stopped = where === "real" ? stopped : /stop( --no-backup)?$/.test(line);
      }
      const { run, calls } = runs.get(id) ?? { run: { code: -1, stdout: "", stderr: "" }, calls: [] };
      expect(run, `${folder} ${name}: ${key}\n${run.stdout}${run.stderr}`).toMatchObject({ code: 0 });
      expect(calls.length > 0 ? (where === "both" ? "both" : "real") : "here", `${name}: ${line}`).toBe(
        where,
      );
      if (!first) continue;
      const [, types] = /gen types .*--local.* > ([\w./-]+)/.exec(line) ?? [];
      if (types !== undefined && types !== "/dev/null")
        expect(linked.read(join(folder, types)), `${name}: ${types}`).toContain("first: {");
    }
  },
  300_000,
);

test("db diff -f without a change writes no migration", () => {
  const files = readdirSync(join(linked.folder, "supabase", "migrations"));
  expect(files.filter((file) => file.endsWith("_changed.sql"))).toEqual([]);
});
