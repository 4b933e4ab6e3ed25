/**
 * Owns the cluster of a run of Homebase's tests. With HOMEBASE_TEST_PLATFORM=tcp it has no socket, as Windows would need
 * it (docs/decisions/0041-windows.md).
 */
import { startTestCluster } from "../src/testing/shared-cluster.ts";
import { tcpPlatform } from "./postgres/tcp-platform.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const { HOMEBASE_TEST_PLATFORM: platform } = process.env;
  const cluster = await startTestCluster(process.cwd(), platform === "tcp" ? tcpPlatform : undefined);
  return () => cluster.stop();
}
