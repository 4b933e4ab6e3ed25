/** Starts the Postgres of a whole run; workers find it by their environment and only clone from it. */
import { startTestCluster } from "homebase-stack/testing";

export default async function globalSetup(): Promise<() => Promise<void>> {
  const cluster = await startTestCluster(process.cwd());
  return () => cluster.stop();
}
