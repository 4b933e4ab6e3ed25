/** Owns a stack with its own Postgres, which a test may stop and configure. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backend } from "../../src/backend/backend.ts";
import { loadConfig } from "../../src/config/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { cloneDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureTemplate } from "../../src/postgres/cluster/template-databases.ts";
import { wings } from "../../wings/index.ts";

/** Started without migrations; closed with its cluster when disposed. */
export async function ownStack() {
  const folder = await mkdtemp(join(tmpdir(), "homebase-own-"));
  const cluster = await Cluster.start({ projectFolder: process.cwd(), port: undefined, durable: false });
  const base = loadConfig({ from: process.cwd() });
  const config = { ...base, projectFolder: "/nonexistent", supabaseFolder: "/nonexistent/supabase" };
  await cloneDatabase(cluster, await ensureTemplate(cluster, config), "own");
  const backend = await Backend.open({
    wings,
    cluster,
    databaseName: "own",
    config,
    storageFolder: folder,
    sendMail: async () => undefined,
    clock: systemClock,
    log: silentLog,
    port: 0,
  });
  return {
    cluster,
    backend,
    address: { url: backend.url, publishableKey: backend.keys.publishableKey },
    sql: (text: string) => backend.database.query("postgres", text, []),
    [Symbol.asyncDispose]: async () => {
      await backend.close();
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
