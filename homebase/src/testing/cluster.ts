/**
 * Owns the Postgres shared by a test run: started once, without fsync, its template built once. Test
 * processes find it by an environment variable and only clone from it.
 */
import { withFreePort } from "../backend/ports.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../core/log.ts";
import { Cluster } from "../postgres/cluster/cluster.ts";
import { type ClusterAddress, ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { ClusterError } from "../postgres/cluster/server-process.ts";
import { ensureTemplate } from "../postgres/cluster/template.ts";

const VARIABLE = "HOMEBASE_TEST_CLUSTER";

/** A test run's cluster, as the process that owns it sees it. */
export interface TestCluster {
  client: ClusterClient;
  stop(): Promise<void>;
}

/** Starts a temporary cluster and publishes it to this process's children. */
export async function startTestCluster(projectFolder: string, log?: Log): Promise<TestCluster> {
  const cluster = await withFreePort(
    // Functions and ORMs reach Postgres by TCP only.
    (port) => Cluster.start({ projectFolder, port, durable: false, ...(log ? { log } : {}) }),
    (error) => error instanceof ClusterError && error.port !== undefined,
    (port) =>
      process.stderr.write(`Port ${port} was taken before Postgres listened on it; trying another.\n`),
  );
  process.env[VARIABLE] = JSON.stringify(cluster.address);
  return {
    client: cluster,
    stop: async () => {
      delete process.env[VARIABLE];
      await cluster.stop();
    },
  };
}

let own: Promise<TestCluster> | undefined;
let found: { text: string; client: ClusterClient } | undefined;

/** The test run's cluster, or this process's own. */
export async function testCluster(projectFolder: string): Promise<ClusterClient> {
  const address = process.env[VARIABLE];
  if (address) {
    if (found?.text !== address) {
      found = { text: address, client: new ClusterClient(JSON.parse(address) as ClusterAddress) };
    }
    return found.client;
  }
  own ??= startTestCluster(projectFolder);
  return (await own).client;
}

/** By cluster and project: templates are not shared between clusters. */
const templates = new WeakMap<ClusterClient, Map<string, Promise<string>>>();

/** The project's template in this cluster; cached by process and project. */
export function testTemplate(cluster: ClusterClient, config: Config): Promise<string> {
  const known = templates.get(cluster) ?? new Map<string, Promise<string>>();
  templates.set(cluster, known);
  let template = known.get(config.projectFolder);
  if (!template) {
    template = ensureTemplate(cluster, config);
    known.set(config.projectFolder, template);
    template.catch(() => known.delete(config.projectFolder));
  }
  return template;
}
