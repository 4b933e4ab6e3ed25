/** Flags that the Supabase CLI has: what they do here, how others are refused, and errors for programs. */
import { spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { COMMAND } from "../command.ts";
import { Project } from "./project.ts";

let one: Project | undefined;
afterEach(async () => {
  await one?.remove();
  one = undefined;
}, 180_000);

/** A command line that fails before it reads a project. */
function refusal(...args: string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" });
  expect(status, stderr).toBe(2);
  return stderr;
}

test.each([
  [["stop", "--project-id", "other"], /This project's id is .*--workdir FOLDER/],
  [["reset", "--sql-paths", "a.sql"], /--sql-paths is not built: \[db\.seed\] sql_paths/],
  [["db", "reset", "--linked"], /--linked is not built: .*npx supabase db reset/],
  [["db", "diff", "--linked"], /--linked is not built: homebase db pull --db-url/],
  [["db", "diff", "--use-migra"], /--use-migra is not built: there is one engine/],
  [["migrate", "--linked"], /--linked is not built: Homebase keeps no links/],
  [["start", "-x", "gotru"], /knows no service gotru\. Did you mean gotrue\? It takes:/],
  [["start", "--exclude", "kong"], /--exclude kong is not built/],
  [["start", "--keep-going"], /it is what a start does/],
  [["status", "--output", "xml"], /--output takes pretty, env, json, toml, yaml, not xml/],
  [["migrate", "-o", "yaml"], /--output takes pretty or json .*, not yaml/],
  [["reset", "--no-sed"], /There is no option --no-sed here\. Did you mean --no-seed\?/],
  [["stat"], /There is no command stat\. Did you mean homebase start\?/],
  [["db", "dif"], /Did you mean homebase db diff\? homebase db takes:/],
])("%j is refused by name, with what to use", (args, expected) => {
  expect(refusal(...args)).toMatch(expected);
});

test("errors under --json are JSON", () => {
  for (const args of [
    ["stop", "--linked", "--json"],
    ["migrate", "--output", "json", "--wrong"],
    ["nothing", "--json"],
  ]) {
    expect(JSON.parse(refusal(...args))).toEqual({ error: { message: expect.any(String), exitCode: 2 } });
  }
});

const FILES = {
  "migrations/20260101000000_first.sql":
    "create schema other;\ncreate table public.first (id int primary key);\n",
  "seed.sql": "insert into public.first values (1);\n",
};

test("start -x leaves services out, and db diff --schema compares some schemas", async () => {
  one = new Project(FILES);
  await one.start("-x", "gotrue,studio", "-x", "mailpit");
  const status = async (path: string) => (await fetch(`${one?.url}${path}`)).status;
  expect(await status("/auth/v1/health")).not.toBe(200);
  await expect(fetch(`http://127.0.0.1:${54_324 + one.offset}`)).rejects.toThrow();
  expect(await (await one.rest("first")).json()).toEqual([{ id: 1 }]);

  await one.run("db", "query", "create table public.second (id int); create table other.third (id int)");
  const diff = await one.run("db", "diff", "--schema", "other", "--local");
  expect(diff.stdout).toMatch(/"?other"?\."?third"?/);
  expect(diff.stdout).not.toContain("second");
}, 300_000);

test("reset --no-seed leaves a database that later starts do not seed either", async () => {
  one = new Project(FILES);
  await one.start();
  const reset = await one.run("db", "reset", "--no-seed", "--output", "json");
  expect(JSON.parse(reset.stdout)).toMatchObject({ reset: true });
  expect(await (await one.rest("first")).json()).toEqual([]);
  one.write("migrations/20260102000000_next.sql", "alter table public.first add column name text;\n");
  await one.says(/Applied .*_next\.sql/);
  expect(await (await one.rest("first")).json()).toEqual([]);
  await one.stop();
  expect((await one.run("reset")).code).toBe(0);
  expect((await one.run("reset", "--no-seed")).code).toBe(0);
  await one.start();
  expect(await (await one.rest("first")).json()).toEqual([]);
  await one.stop();
  expect((await one.run("reset")).code).toBe(0);
  await one.start();
  expect(await (await one.rest("first")).json()).toEqual([{ id: 1, name: null }]);
}, 300_000);
