/**
 * Owns the Postgres shared by a test run: started once, without fsync, its template built once. Test
 * processes find it by an environment variable and only clone from it.
 */

import type { Config } from "../config/config.ts";
import { withFreePort } from "../developer/ports.ts";
import { ensureCountedTemplate } from "../explain/index.ts";
import { Cluster } from "../postgres/cluster/cluster.ts";
import { type ClusterAddress, ClusterClient } from "../postgres/cluster/cluster-client.ts";
import type { ServerPlatform } from "../postgres/cluster/platform.ts";
import { ClusterError } from "../postgres/cluster/server-process.ts";
import { ensureTemplate, ensureVariant } from "../postgres/cluster/template-databases.ts";
import { atEnd } from "./ending.ts";

const VARIABLE = "HOMEBASE_TEST_CLUSTER";
/** A statement that changes row security in the template of a run. */
const CHANGE = "HOMEBASE_MUTANT";

/** A test run's cluster, as the process that owns it sees it. */
export interface TestCluster {
  client: Cluster;
  stop(): Promise<void>;
}

/**
 * Starts a temporary cluster and publishes it to this process's children.
 * @param platform how its server is reached and ended, for tests of Homebase itself.
 */
export async function startTestCluster(
  projectFolder: string,
  platform?: ServerPlatform,
): Promise<TestCluster> {
  const cluster = await withFreePort(
    // Functions and ORMs reach Postgres by TCP only.
    (port) => Cluster.start({ projectFolder, port, durable: false, platform }),
    (error) => error instanceof ClusterError && error.port !== undefined,
    (port) =>
      process.stderr.write(`Port ${port} was taken before Postgres listened on it; trying another.\n`),
  );
  const { [VARIABLE]: shared } = process.env;
  process.env[VARIABLE] = JSON.stringify(cluster.address);
  return {
    client: cluster,
    stop: async () => {
      // A file with a cluster of its own gives the run's back to the next file of this process.
      if (shared === undefined) delete process.env[VARIABLE];
      else process.env[VARIABLE] = shared;
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
  own ??= startTestCluster(projectFolder).then((started) => {
    // Nobody stops it: it ends with the process, when nothing else is left to do.
    started.client.unref();
    atEnd(() => started.stop());
    return started;
  });
  return (await own).client;
}

/** The project's template, with the change that `homebase policies mutate` has put in the environment. */
async function changedTemplate(cluster: ClusterClient, config: Config): Promise<string> {
  const template = await ensureTemplate(cluster, config);
  const { [CHANGE]: change } = process.env;
  if (!change) return template;
  const name = `${template}_changed`;
  await ensureVariant(cluster, template, name, async (client) => {
    await client.query(change);
  });
  return name;
}

/** By cluster and project: templates are not shared between clusters. */
const templates = new WeakMap<ClusterClient, Map<string, Promise<string>>>();

/**
 * The project's template in this cluster; cached by process and project.
 * @param counted whether its policies count what they decide.
 */
export function testTemplate(cluster: ClusterClient, config: Config, counted = false): Promise<string> {
  const known = templates.get(cluster) ?? new Map<string, Promise<string>>();
  templates.set(cluster, known);
  const key = JSON.stringify([config.projectFolder, counted]);
  let template = known.get(key);
  if (!template) {
    template = counted ? ensureCountedTemplate(cluster, config) : changedTemplate(cluster, config);
    known.set(key, template);
    template.catch(() => known.delete(key));
  }
  return template;
}
