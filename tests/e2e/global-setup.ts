/**
 * Starts the Postgres of a whole run, and builds the app once in each mode: workers find both by their environment,
 * clone databases, and name their own backend in a copy of the app.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "homebase-stack/testing";
import { BUILT, buildApp } from "./stack.ts";

export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "nosh-app-"));
  const [cluster] = await Promise.all([startTestCluster(process.cwd()), buildBoth(folder)]);
  process.env[BUILT] = folder;
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** One after the other, because Vite reads the mode from the environment. */
async function buildBoth(folder: string): Promise<void> {
  for (const mode of ["production", "development"] as const) await buildApp(mode, join(folder, mode));
}
