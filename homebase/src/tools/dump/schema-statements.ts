/**
 * Owns a database's schema as SQL for a project that knows nothing of it: neither its config.toml nor its roles.sql. The
 * roles themselves are another dump (role-statements.ts), which is restored first.
 */

import type { Config } from "../../config/config.ts";
import type { RemoteDatabase } from "../../diff/compared-database.ts";
import { type CompleteDiff, completeDiff } from "../../diff/schema-diff.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { ensureWebhooks, impliedBy } from "../../postgres/cluster/implied.ts";
import { connected } from "../../postgres/connected.ts";
import { withBareProject } from "../shadow.ts";
import { dumpRoles } from "./role-statements.ts";
import { withOtherWay } from "./superuser-statements.ts";

/**
 * @param cluster one of its own, because it gets the roles.
 * @param schemas only what is in these, and the extensions that it needs; all without.
 * @throws ProjectFileError, DiffImpossible
 */
export async function dumpSchema(
  cluster: ClusterClient,
  config: Config,
  database: RemoteDatabase,
  schemas?: readonly string[],
): Promise<CompleteDiff> {
  const roles = await connected(database.connection, async (client) => {
    await client.query("set search_path = pg_catalog, pg_temp");
    return dumpRoles(client);
  });
  return withBareProject(cluster, async (bare) => {
    if (roles !== "") await cluster.asProject((client) => client.query(roles), bare.name);
    // Hosted projects and the Supabase CLI's database have this schema from elsewhere.
    if (impliedBy(config).webhooks) await ensureWebhooks(bare);
    const diff = await completeDiff(bare, database, { schemas, majorVersion: config.db.major_version });
    return { ...diff, sql: withOtherWay(diff.sql), parts: diff.parts.map(withOtherWay) };
  });
}
