/**
 * Owns what `npm test` builds once a run, because hundreds of tests start the command: a prebuilt cluster, which
 * saves each start initdb and the bootstrap SQL, and the command as one bundle, which saves it reading the sources.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { postgresVersion } from "../src/postgres/cluster/binaries.ts";
import { prebuiltCache, prebuiltName } from "../src/postgres/cluster/prebuilt.ts";
import { prebuiltBase } from "../src/postgres/cluster/template-databases.ts";
import { buildPackage } from "./main.ts";
import { buildPrebuiltCluster } from "./prebuilt.ts";

/** Below a `node_modules` that has the dependencies, which the bundle imports. */
const COMMAND = join(import.meta.dirname, "..", "node_modules", ".cache", "homebase-stack");

/**
 * Builds both; the cluster only when this machine does not have it yet.
 * @returns the path of the bundled command
 */
export async function buildForTests(): Promise<string> {
  await ensurePrebuiltCluster();
  await buildPackage(COMMAND, { types: false, cluster: false });
  return join(COMMAND, "bin", "homebase.mjs");
}

async function ensurePrebuiltCluster(): Promise<void> {
  const folder = prebuiltCache();
  const name = prebuiltName(postgresVersion(), prebuiltBase());
  if (existsSync(join(folder, name))) return;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const making = mkdtempSync(join(folder, "new-"));
  try {
    await buildPrebuiltCluster(making);
    // In one step, because another run may start meanwhile.
    renameSync(join(making, name), join(folder, name));
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
