/** A reset to an earlier migration, as the Supabase CLI's `db reset --version` and `--last`: what is applied, and when the rest is. */
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

let project: Project;
afterEach(() => project.remove(), 180_000);

const FILES = {
  "migrations/20260101000000_first.sql": "create table public.first (id int primary key);\n",
  "migrations/20260102000000_second.sql": "create table public.second (id int primary key);\n",
  "migrations/20260103000000_third.sql": "create table public.third (id int primary key);\n",
  "seed.sql": "insert into public.first values (1);\n",
};

/** The tables of the project that the API serves. */
async function served(): Promise<string[]> {
  const names = ["first", "second", "third", "fourth"];
  const found = await Promise.all(names.map(async (name) => (await project.rest(name)).status === 200));
  return names.filter((_, at) => found[at]);
}

test("reset --version ends with that migration: saves and starts leave the later ones, migration up applies them", async () => {
  project = new Project(FILES);
  await project.start();
  const reset = await project.run("db", "reset", "--version", "20260102000000");
  expect(reset, reset.stderr).toMatchObject({ code: 0 });
  expect(reset.stdout).toMatch(
    /^Rebuilt up to 20260102000000 in \d+ ms\. Later migrations wait for homebase migrate\.\n$/,
  );
  expect(await served()).toEqual(["first", "second"]);
  expect(await (await project.rest("first")).json()).toEqual([{ id: 1 }]);

  project.write("migrations/20260104000000_fourth.sql", "create table public.fourth (id int primary key);\n");
  await project.says(/After the version of the last reset, and not applied: .*_third\.sql, .*_fourth\.sql/);
  expect(await served()).toEqual(["first", "second"]);
  await project.stop();
  await project.start();
  expect(await served()).toEqual(["first", "second"]);
  const list = await project.run("migration", "list", "--local");
  expect(list.stdout).toMatch(/20260102000000 \| 20260102000000 .*\n +20260103000000 \| +\|/);

  expect(await project.run("migration", "up", "--local")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Applied .*_third\.sql, .*_fourth\.sql/),
  });
  expect(await served()).toEqual(["first", "second", "third", "fourth"]);
  // From then on files are applied when they are saved.
  project.write("migrations/20260105000000_fifth.sql", "drop table public.fourth;\n");
  await project.says(/Applied .*_fifth\.sql/);
}, 300_000);

test("reset --last leaves out that many of the newest, also without a running stack, and a plain reset applies all", async () => {
  project = new Project({
    ...FILES,
    "config.toml": 'project_id = "cli"\n[db.seed]\nenabled = false\n',
  });
  // The first start of a database happens in the reset itself.
  expect((await project.run("reset", "--last", "2")).code).toBe(0);
  await project.start();
  expect(await served()).toEqual(["first"]);
  const none = await project.run("reset", "--last=9", "--json");
  expect(JSON.parse(none.stdout)).toMatchObject({ reset: true, version: null });
  expect(await served()).toEqual([]);
  expect((await project.run("reset")).code).toBe(0);
  expect(await served()).toEqual(["first", "second", "third"]);
}, 300_000);

test("a version that no file has, or that is none, changes nothing", async () => {
  project = new Project(FILES);
  for (const [words, message] of [
    [["--version", "20200101000000"], /No file of supabase\/migrations has the version 20200101000000/],
    [["--version", "second"], /--version takes the digits at the start of a migration's name, not second/],
    [["--last", "two"], /--last takes a whole number, not two/],
    [["--last", "1", "--version", "20260101000000"], /--version and --last exclude each other/],
  ] as const)
    expect(await project.run("reset", ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
});

test("a seed that needs a later migration changes nothing, and says so", async () => {
  project = new Project({ ...FILES, "seed.sql": "insert into public.third values (1);\n" });
  expect(await project.run("reset", "--version", "20260101000000")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Nothing was changed.*seed\.sql.*--no-seed/s),
  });
  expect((await project.run("reset", "--version", "20260101000000", "--no-seed")).code).toBe(0);
}, 180_000);
