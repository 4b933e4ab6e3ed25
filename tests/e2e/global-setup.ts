/**
 * Starts the Postgres of a whole run, and builds the app once: workers find both by their environment, clone
 * databases, and name their own backend in a copy of the app.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "homebase-stack/testing";
import { BUILT, buildApp } from "./stack.ts";

export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "nosh-app-"));
  const [cluster] = await Promise.all([
    startTestCluster(process.cwd()),
    // A build for development makes React warn of what is wrong, which fails a test.
    buildApp("development", folder),
  ]);
  process.env[BUILT] = folder;
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
