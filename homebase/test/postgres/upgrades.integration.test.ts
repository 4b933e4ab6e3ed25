/**
 * A database of an earlier Homebase is upgraded in place: its rows are kept, and it becomes equal to a new
 * one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { DataFolderError } from "../../src/postgres/cluster/data-folder.ts";
import {
  baseFiles,
  baseName,
  cloneDatabase,
  dropDatabase,
  ensureBase,
  renewPowers,
} from "../../src/postgres/cluster/template.ts";
import { bringUpToDate, FIRST_BASE, readUpgrades, type Upgrade } from "../../src/postgres/upgrades/apply.ts";
import { testCluster } from "../../src/testing/cluster.ts";
import { describeDatabase } from "./catalog.ts";

const cluster = await testCluster(process.cwd());
const FIRST = join(import.meta.dirname, "versions", "0");
const first = (file: string) => readFileSync(join(FIRST, file), "utf8");
/** Excludes files of the base that were added later. */
const firstFiles = baseFiles.filter((file) => existsSync(join(FIRST, file)));
const made: string[] = [];

/** Upgrades a database as a start does. */
async function bringUpToDateNow(name: string): Promise<void> {
  await renewPowers(cluster, name);
  await bringUpToDate(cluster, name, {});
}

afterEach(async () => {
  for (const name of made.splice(0)) await dropDatabase(cluster, name);
});

async function versionOf(name: string): Promise<string | undefined> {
  const { rows } = await cluster.admin((client) =>
    client.query<{ setconfig: string[] }>(
      "select setconfig from pg_db_role_setting s join pg_database d on d.oid = setdatabase where datname = $1",
      [name],
    ),
  );
  return rows[0]?.setconfig.find((one) => one.startsWith("homebase.version="))?.split("=")[1];
}

/** A database of version 0, created from its SQL. */
async function firstVersion(): Promise<string> {
  await ensureBase(cluster); // For the roles.
  const name = `upgrades_${process.pid}_${made.length}`;
  made.push(name);
  await cloneDatabase(cluster, "template0", name);
  for (const file of firstFiles) {
    await cluster.admin(async (client) => {
      await client.query(first(file));
    }, name);
  }
  await cluster.admin(async (client) => {
    await client.query("insert into auth.users (id, email) values (gen_random_uuid(), 'ana@example.test')");
  }, name);
  return name;
}

test("the fixture of version 0 is the SQL that version 0 was made by", () => {
  expect(baseName(first("roles.sql"), firstFiles.map(first))).toBe(FIRST_BASE);
});

// When this fails: also put the change of bootstrap/*.sql into a new file of src/postgres/upgrades.
test("version 0 and the upgrades lead to what a new database has, and rows stay", async () => {
  const old = await firstVersion();
  await bringUpToDateNow(old);
  const fresh = `${old}_fresh`;
  made.push(fresh);
  await cloneDatabase(cluster, await ensureBase(cluster), fresh);
  expect(await describeDatabase(cluster, old)).toEqual(await describeDatabase(cluster, fresh));
  const rows = await cluster.admin(
    async (client) => (await client.query("select email from auth.users")).rows,
    old,
  );
  expect(rows).toEqual([{ email: "ana@example.test" }]);
  // Repeating is harmless: a start may have been interrupted between an upgrade and the next step.
  for (const { sql } of readUpgrades()) await cluster.admin((client) => client.query(sql), old);
  expect(await describeDatabase(cluster, old)).toEqual(await describeDatabase(cluster, fresh));
});

test("an upgrade that fails leaves the database at the one before, and the next start goes on from there", async () => {
  const old = await firstVersion();
  const steps = (last: string): Upgrade[] => [
    { version: 1, file: "0001_one.sql", sql: "alter table auth.users add column if not exists one int" },
    { version: 2, file: "0002_two.sql", sql: `alter table auth.users add column two int; ${last}` },
  ];
  const columns = () =>
    cluster.admin(async (client) => {
      const { rows } = await client.query<{ attname: string }>(
        "select attname from pg_attribute where attrelid = 'auth.users'::regclass and attname in ('one', 'two') order by 1",
      );
      return rows.map(({ attname }) => attname);
    }, old);
  const failed = bringUpToDate(cluster, old, {}, steps("select 1 / 0"));
  await expect(failed).rejects.toThrow(DataFolderError);
  await expect(failed).rejects.toThrow(/0002_two\.sql failed: division by zero/);
  expect([await columns(), await versionOf(old)]).toEqual([["one"], "1"]);
  expect(await bringUpToDate(cluster, old, { "homebase.version": "1" }, steps(""))).toEqual(["0002_two.sql"]);
  expect([await columns(), await versionOf(old)]).toEqual([["one", "two"], "2"]);
  expect(await bringUpToDate(cluster, old, { "homebase.version": "2" }, steps(""))).toEqual([]);
});

test("a database of a newer Homebase is refused and left as it is", async () => {
  const old = await firstVersion();
  await expect(bringUpToDate(cluster, old, { "homebase.version": "7" })).rejects.toThrow(/newer Homebase/);
});
