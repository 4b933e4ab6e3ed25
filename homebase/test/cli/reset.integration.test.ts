/**
 * An interrupted reset: after each of its steps the next start has either the old or the new state, complete.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { afterEach, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { DataLock } from "../../src/developer/data-lock.ts";
import { ProjectDatabase } from "../../src/developer/project-database.ts";
import { StorageFolder } from "../../src/developer/storage-folder.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { targetOf, withClient } from "../../src/tools/command-connection.ts";
import { NOTES_PROJECT } from "./notes-project.ts";
import { Project } from "./project.ts";

let project: Project;
afterEach(() => project.remove(), 60_000);

/** The steps of a reset, up to `last`, on a project that does not run. */
async function resetUpTo(last: number): Promise<void> {
  const config = loadConfig({ from: project.folder });
  const home = join(project.folder, ".homebase");
  const lock = await DataLock.take(project.folder, { command: "homebase reset" });
  const cluster = await Cluster.start({ projectFolder: project.folder, port: undefined, durable: true });
  const database = new ProjectDatabase(cluster, config);
  const files = new StorageFolder(home);
  let id = "";
  const steps = [
    async () => {
      id = await database.buildNext();
    },
    async () => files.begin(id),
    () => database.swapIn(),
    async () => renameSync(join(home, "storage"), join(home, "storage.previous")),
    async () => renameSync(join(home, "storage.next"), join(home, "storage")),
  ];
  for (const step of steps.slice(0, last)) await step();
  await cluster.stop();
  lock.release();
}

test("either the old or the new one is whole after each step", async () => {
  project = new Project({
    ...NOTES_PROJECT,
    "config.toml": 'project_id = "reset"\n[storage.buckets.files]\npublic = true\nobjects_path = "files"\n',
    "files/own.txt": "of config.toml",
  });
  await project.start();
  for (let last = 1; last <= 5; last += 1) {
    const client = createClient(project.url, project.secret, { auth: { persistSession: false } });
    await project.rest("notes?on_conflict=id", {
      method: "POST",
      headers: { prefer: "resolution=merge-duplicates" },
      body: '{"id":2,"body":"mine"}',
    });
    const upload = await client.storage.from("files").upload("mine.txt", "mine", { upsert: true });
    expect(upload.error).toBeNull();
    await project.stop();

    await resetUpTo(last);
    await project.start();
    const rows = (await (await project.rest("notes?select=id&order=id")).json()) as { id: number }[];
    const read = async (name: string) => {
      const answer = await fetch(`${project.url}/storage/v1/object/public/files/${name}`);
      return answer.ok ? answer.text() : undefined;
    };
    const old = last < 3;
    expect(rows, `step ${last}`).toEqual(old ? [{ id: 1 }, { id: 2 }] : [{ id: 1 }]);
    expect(await read("mine.txt"), `step ${last}`).toBe(old ? "mine" : undefined);
    expect(await read("own.txt"), `step ${last}`).toBe("of config.toml");
    if (!old) await project.says(/A reset had been interrupted; it is finished now/);
    expect(existsSync(join(project.folder, ".homebase", "storage.previous"))).toBe(false);
    expect(await databasesOf(project), `step ${last}`).not.toContain("postgres_next");
    await expect
      .poll(async () => (await project.run("storage", "check")).stdout, { timeout: 30_000 })
      .toContain("No faults");
  }
}, 240_000);

test("a failing file leaves a project that does not run as it is: no row, no migration of it is touched", async () => {
  project = new Project(NOTES_PROJECT);
  await project.start();
  await project.rest("notes", { method: "POST", body: '{"id":2,"body":"mine"}' });
  await project.stop();
  project.write("migrations/20260105000000_pending.sql", "create table public.pending (id int);\n");
  project.write("migrations/20260106000000_bad.sql", "selekt 1;\n");
  const { code, stderr } = await project.run("reset");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/Nothing was changed.*20260106000000_bad\.sql:1:1/s),
  ]);
  project.write("migrations/20260105000000_pending.sql", "");
  project.write("migrations/20260106000000_bad.sql", "");
  await project.start();
  expect(await (await project.rest("notes?select=id&order=id")).json()).toEqual([{ id: 1 }, { id: 2 }]);
  expect((await project.rest("pending")).status).toBe(404);
}, 300_000);

test("a reset that fails in the middle of a running stack is undone, and says so", async () => {
  project = new Project({
    ...NOTES_PROJECT,
    "config.toml": 'project_id = "reset"\n[storage.buckets.files]\npublic = true\n',
  });
  await project.start();
  await project.rest("notes", { method: "POST", body: '{"id":2,"body":"mine"}' });
  const { storage } = createClient(project.url, project.secret, { auth: { persistSession: false } });
  expect((await storage.from("files").upload("mine.txt", "mine")).error).toBeNull();
  // The old one cannot be moved: its target path is taken.
  const taken = join(project.folder, ".homebase", "storage.previous");
  mkdirSync(join(taken, "something"), { recursive: true });
  const failed = await project.run("reset");
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining("The reset failed; database and files are those from before it."),
  ]);
  const mine = async () => {
    const rows = await (await project.rest("notes?select=id&order=id")).json();
    const file = await fetch(`${project.url}/storage/v1/object/public/files/mine.txt`);
    return [rows, file.status, await file.text()];
  };
  expect(await mine()).toEqual([[{ id: 1 }, { id: 2 }], 200, "mine"]);
  await project.stop();
  await project.start();
  expect(await mine()).toEqual([[{ id: 1 }, { id: 2 }], 200, "mine"]);
  rmSync(taken, { recursive: true });
  expect((await project.run("reset")).code).toBe(0);
  expect((await mine())[0]).toEqual([{ id: 1 }]);
}, 300_000);

test("resets of changing files keep one template, and the database before", async () => {
  project = new Project(NOTES_PROJECT);
  await project.start();
  for (const at of [1, 2, 3]) {
    project.write(`migrations/2099010100000${at}_more.sql`, `create table public.more_${at} (id int);`);
    expect((await project.run("reset")).code).toBe(0);
  }
  await project.stop();
  const cluster = await Cluster.start({ projectFolder: project.folder, port: undefined, durable: true });
  try {
    const names = await cluster.admin(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        "select datname as name from pg_database order by 1",
      );
      return rows.map(({ name }) => name.replace(/_[0-9a-f]{12}$/, ""));
    });
    expect(names.filter((name) => name.startsWith("homebase_"))).toEqual([
      "homebase_base",
      "homebase_template",
    ]);
  } finally {
    await cluster.stop();
  }
}, 180_000);

/** The databases of a project that runs, beside Postgres's own. */
async function databasesOf({ database }: Project): Promise<string[]> {
  return withClient(targetOf(database), async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datname !~ '^template' order by 1",
    );
    return rows.map(({ name }) => name.replace(/_[0-9a-f]{12}/, ""));
  });
}

test("what a killed reset or difference had begun to build is removed by the next start, a project's own databases are not", async () => {
  // Sleeps where a template, or a database to compare, is built: the project's own applies it at once.
  project = new Project({
    ...NOTES_PROJECT,
    "migrations/20990101000001_slow.sql":
      "do $$ begin if current_database() <> 'postgres' then perform pg_sleep(600); end if; end $$;",
  });
  await project.start();
  const own = ["homebase_template_0123456789ab_building_1", "postgres_diff_1_migrated", "postgres_next"];
  await withClient(targetOf(project.database), async (client) => {
    for (const name of own) {
      await client.query(`create database ${name}`);
      const mark = `alter role supabase_admin in database ${name} set homebase.scratch = 'on'`;
      await expect(client.query(mark)).rejects.toThrow(/permission denied/);
    }
  });
  for (const [command, building] of [
    ["reset", /^homebase_template_building_(?!1$)\d+$/],
    ["db diff", /^postgres_diff_(?!1_)\d+_migrated$/],
  ] as const) {
    const running = project.run(...command.split(" "));
    await expect
      .poll(async () => (await databasesOf(project)).some((name) => building.test(name)), { timeout: 90_000 })
      .toBe(true);
    await project.killTree();
    await running;
    await project.start();
    expect(await databasesOf(project), command).toEqual([
      "homebase",
      "homebase_base",
      "homebase_template_building_1",
      "postgres",
      "postgres_diff_1_migrated",
      "postgres_next",
    ]);
  }
}, 360_000);
