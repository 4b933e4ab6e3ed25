/** Of the functions of folders that start, and of the app's own, nothing is said to be missing. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { readMigrations, readRolesFile, readSeeds } from "../../src/postgres/files/project-files.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { failingFiles } from "../../src/tools/migration-check.ts";
import { type UsedInBody, usedInBodies } from "../../src/tools/used-in-bodies.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { folderOf, names } from "../projects/folders.ts";

await useOwnCluster();
const root = join(import.meta.dirname, "../../..");
const cluster = await testCluster(root);

test.each([["the app", root], ...names.map((name) => [name, folderOf(name)])])(
  "%s",
  async (_, folder = "") => {
    const config = loadConfig({ from: folder, environment: {} });
    const files = [...readRolesFile(config), ...readMigrations(config), ...readSeeds(config)];
    let used: UsedInBody[] | undefined;
    const failing = await failingFiles(cluster, config, readMigrations(config), async (database) => {
      used = await usedInBodies(database, files);
    });
    expect([failing, used]).toEqual([[], []]);
  },
  60_000,
);
