/** Which databases a start takes: its own release's, and those of earlier releases, brought up to date. No others. */
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { DataFolderError } from "../../src/postgres/cluster/data-folder.ts";
import { baseSetting, ensureBase } from "../../src/postgres/cluster/template-databases.ts";
import {
  bringUpToDate,
  newestRelease,
  RELEASE_SETTING,
  refuseOtherVersions,
  type Upgrade,
} from "../../src/postgres/upgrades/apply.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { Project } from "../cli/project.ts";

vi.setConfig({ testTimeout: 120_000 });

const cluster = await testCluster(process.cwd());
const { name: BASE, value: OWN } = baseSetting();
const made: string[] = [];
afterEach(async () => {
  for (const name of made.splice(0)) await dropDatabase(cluster, name);
});

test.each([
  ["of version 0", { [BASE]: "homebase_base_b87a4048bb9b" }],
  ["of version 1", { [BASE]: "homebase_base_000000000001", "homebase.version": "1" }],
  ["of version 9", { [BASE]: "homebase_base_000000000009", "homebase.version": "9" }],
  ["of version 10, with the same SQL", { [BASE]: OWN, "homebase.version": "10" }],
  ["without a version", {}],
  ["of another base", { [BASE]: "homebase_base_00000000000a", [RELEASE_SETTING]: String(newestRelease()) }],
])("a database %s was made by a development version, and is refused", (_what, settings) => {
  expect(() => refuseOtherVersions(settings)).toThrow(DataFolderError);
  expect(() => refuseOtherVersions(settings)).toThrow("made by a development version");
});

test("one of this release is taken, and one of a newer one named", () => {
  expect(() =>
    refuseOtherVersions({ [BASE]: OWN, [RELEASE_SETTING]: String(newestRelease()) }),
  ).not.toThrow();
  expect(() => refuseOtherVersions({ [BASE]: OWN, [RELEASE_SETTING]: "99" })).toThrow("a newer Homebase");
});

test("steps that fail leave the database at the one before, and the next start goes on from there", async () => {
  const name = `releases_${process.pid}`;
  made.push(name);
  await cloneDatabase(cluster, await ensureBase(cluster), name);
  const steps = (second: string): Upgrade[] => [
    { release: 2, name: "one", sql: "create table public.one (id int)" },
    { release: 3, name: "two", sql: second },
  ];
  const settings = { [BASE]: "of release 1", [RELEASE_SETTING]: "1" };
  expect(() => refuseOtherVersions(settings, steps(""))).not.toThrow();
  await expect(bringUpToDate(cluster, name, settings, steps("select 1 / 0"))).rejects.toThrow(
    "two failed: division by zero",
  );
  const stored = async () => {
    const { rows } = await cluster.admin((client) =>
      client.query<{ setconfig: string[] }>(
        "select setconfig from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = $1 and setrole = 0",
        [name],
      ),
    );
    return rows[0]?.setconfig.filter((one) => one.startsWith("homebase.")).sort();
  };
  expect(await stored()).toContain(`${RELEASE_SETTING}=2`);
  expect(await bringUpToDate(cluster, name, { [RELEASE_SETTING]: "2" }, steps("select 1"))).toEqual(["two"]);
  expect(await stored()).toEqual(expect.arrayContaining([`${BASE}=${OWN}`, `${RELEASE_SETTING}=3`]));
  expect(await bringUpToDate(cluster, name, { [RELEASE_SETTING]: "3" }, steps("select 1"))).toEqual([]);
});

const project = new Project({
  "migrations/20260101000000_notes.sql": "create table notes (id int); insert into notes values (1);",
});
afterAll(() => project.remove());

test("a start refuses such a folder as it is; a reset keeps it aside", async () => {
  await project.start();
  await project.stop();
  const options = { projectFolder: project.folder, port: undefined, durable: true };
  const changed = await Cluster.start(options);
  await changed.admin((client) => client.query(`alter database postgres reset "${RELEASE_SETTING}"`));
  await changed.stop();
  const refused = await project.run("start");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining("made by a development version"),
  ]);
  const after = await Cluster.start(options);
  const { rows } = await after.database("postgres").query("postgres", "select id from public.notes");
  await after.database("postgres").close();
  await after.stop();
  expect(rows).toEqual([{ id: 1 }]);
  const reset = await project.run("reset");
  expect([reset.code, reset.stdout]).toEqual([0, expect.stringContaining("The previous data is in")]);
  await project.start();
  await project.stop();
});
