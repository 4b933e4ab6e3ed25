/** Owns a cluster for the Backends of one test file: roles belong to a cluster, and other files make and drop some. */
import { afterAll } from "vitest";
import { startTestCluster } from "../src/testing/shared-cluster.ts";

/** Call it at the top of the file, before anything that needs a cluster. */
export async function useOwnCluster(): Promise<void> {
  const cluster = await startTestCluster(process.cwd());
  afterAll(() => cluster.stop(), 60_000);
}
