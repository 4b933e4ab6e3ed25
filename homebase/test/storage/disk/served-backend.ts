/**
 * A Backend in a separate process, for tests that kill it. Takes one JSON argument: the cluster's address,
 * the database's name, the storage folder, the project's folder. Prints its URL.
 */
import { Backend } from "../../../src/backend/backend.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { type ClusterAddress, ClusterClient } from "../../../src/postgres/cluster/cluster-client.ts";
import { wings } from "../../../wings/index.ts";

export interface ServedBackend {
  address: ClusterAddress;
  databaseName: string;
  storageFolder: string;
  projectFolder: string;
  /** 0: any. */
  port: number;
}

const given = JSON.parse(process.argv[2] ?? "") as ServedBackend;
const backend = await Backend.open({
  wings,
  cluster: new ClusterClient(given.address),
  databaseName: given.databaseName,
  config: loadConfig({ from: given.projectFolder }),
  storageFolder: given.storageFolder,
  sendMail: async () => undefined,
  clock: systemClock,
  log: silentLog,
  port: given.port,
});
process.stdout.write(`${backend.url}\n`);
