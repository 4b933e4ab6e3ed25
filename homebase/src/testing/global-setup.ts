/** Owns a test run's cluster: use this file as `globalSetup` in Vitest or Playwright. */
import { startTestCluster } from "./shared-cluster.ts";

/** Starts the cluster; the returned function stops it. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startTestCluster(process.env.HOMEBASE_TEST_PROJECT ?? process.cwd());
  return () => cluster.stop();
}
