/** `homebase storage check` with and without a running stack. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import type { StorageCheck } from "../../../src/storage/objects/consistency-check.ts";
import { Project } from "../../cli/project.ts";

const project = new Project({
  "config.toml": 'project_id = "check"\n[storage.buckets.papers]\nobjects_path = "papers"\n',
  "papers/a.txt": "first",
  "papers/b.txt": "second",
});
afterAll(() => project.remove(), 60_000);

const json = async (...options: string[]) => {
  const { code, stdout } = await project.run("storage", "check", "--json", ...options);
  return { code, ...(JSON.parse(stdout) as StorageCheck) };
};
async function bodies(): Promise<string[]> {
  const folder = join(project.folder, ".homebase", "storage", "objects");
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("tells what is wrong, by words, JSON and exit code", async () => {
  const early = await project.run("storage", "check");
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("no data yet")]);
  expect((await project.run("storage", "mend")).code).toBe(2);

  await project.start();
  const well = await project.run("storage", "check", "--hash");
  expect([well.code, well.stdout]).toEqual([
    0,
    "No faults: 2 objects and 0 parts checked, 0 unfinished files.\n",
  ]);

  const [lost = "", altered = ""] = await bodies();
  await rm(lost);
  await writeFile(altered, "longer than it was");
  const running = await json();
  expect(running).toMatchObject({ code: 1, objects: 2, orphans: [], unfinished: [] });
  expect([running.missing, running.damaged]).toEqual([
    [{ bucket: "papers", key: expect.any(String) }],
    [{ bucket: "papers", key: expect.any(String) }],
  ]);
  const told = await project.run("storage", "check");
  expect(told.stdout).toMatch(/Missing files \(1\)\n {2}papers\/[ab]\.txt\nDamaged files \(1\)/);
  expect(told.stderr).toContain("2 faults found.");

  await project.run("stop");
  await project.ended();
  const orphan = join(altered, "..", "00000000-0000-0000-0000-000000000000");
  await writeFile(orphan, "nobody's");
  expect(await json()).toMatchObject({ code: 1, objects: 2, orphans: [orphan] });
  expect(await json("--hash")).toEqual({ ...running, orphans: [orphan] });
}, 180_000);

test("what a crash of Postgres leaves on disk is swept in the running stack, and files with a row stay", async () => {
  await project.start();
  // Objects of the previous test are deleted, or have another name.
  const whole = (await bodies()).find((path) => !/0{12}$/.test(path)) ?? "";
  const bytes = await readFile(whole);
  const orphan = join(whole, "..", "00000000-0000-4000-8000-000000000000");
  await writeFile(orphan, "its row was never committed");
  const client = new pg.Client({ connectionString: project.database });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  await project.says(/Postgres ended by itself.*It was started again/);
  await expect.poll(bodies, { timeout: 20_000 }).not.toContain(orphan);
  expect(await readFile(whole)).toEqual(bytes);
  await client.end().catch(() => undefined);
}, 180_000);
