/** Owns a cluster for the Backends of one test file: roles belong to a cluster, and other files make and drop some. */
import { afterAll, beforeAll } from "vitest";
import type { ServerPlatform } from "../src/postgres/cluster/platform.ts";
import { startTestCluster, type TestCluster } from "../src/testing/cluster.ts";

/** Call it before any other hook of the file. */
export function useOwnCluster(platform?: ServerPlatform): void {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster(process.cwd(), platform);
  }, 60_000);
  afterAll(() => cluster.stop(), 60_000);
}
