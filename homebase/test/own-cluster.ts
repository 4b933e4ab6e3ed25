/** Owns a cluster for the Backends of one test file: roles belong to a cluster, and other files make and drop some. */
import { afterAll, beforeAll } from "vitest";
import { startTestCluster, type TestCluster } from "../src/testing/cluster.ts";

/** Call it before any other hook of the file. */
export function useOwnCluster(): void {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster(process.cwd());
  }, 60_000);
  afterAll(() => cluster.stop(), 60_000);
}
