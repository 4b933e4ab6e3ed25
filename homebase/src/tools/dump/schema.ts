/**
 * Owns a database's schema as SQL for a project that knows nothing of it: neither its config.toml nor its roles.sql. The
 * roles themselves are another dump (dump/roles.ts), which is restored first.
 */
import { type CompleteDiff, completeDiff } from "../../backend/schema-diff.ts";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { ensureWebhooks, impliedBy } from "../../postgres/cluster/implied.ts";
import { type Target, withClient } from "../connection.ts";
import { becomePostgres } from "../history/history.ts";
import { withBareProject } from "../shadow.ts";
import { dumpRoles } from "./roles.ts";

/**
 * @param cluster one of its own, because it gets the roles.
 * @param schemas only what is in these, and the extensions that it needs; all without.
 * @throws ProjectFileError, DiffImpossible
 */
export async function dumpSchema(
  cluster: ClusterClient,
  config: Config,
  target: Target,
  schemas?: readonly string[],
): Promise<CompleteDiff> {
  const roles = await withClient(target, dumpRoles);
  return withBareProject(cluster, async (bare) => {
    if (roles !== "") await cluster.asProject((client) => client.query(roles), bare.name);
    // Hosted projects and the Supabase CLI's database have this schema from elsewhere.
    if (impliedBy(config).webhooks) await ensureWebhooks(bare);
    const desired = { connection: target.connection, prepare: becomePostgres };
    return completeDiff(bare, desired, { schemas, majorVersion: config.db.major_version });
  });
}
