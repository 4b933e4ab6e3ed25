/** Owns the stack that is soaked: a process of its own, whose Postgres is restarted when it is told to. */
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backend } from "../src/backend/backend.ts";
import { loadConfig } from "../src/config/config.ts";
import { systemClock } from "../src/core/clock.ts";
import { createLog } from "../src/core/log.ts";
import { Cluster } from "../src/postgres/cluster/cluster.ts";
import { cloneDatabase } from "../src/postgres/cluster/copies.ts";
import { postmasterPid } from "../src/postgres/cluster/server-process.ts";
import { ensureTemplate } from "../src/postgres/cluster/template-databases.ts";
import type { RealtimeService } from "../src/realtime/service.ts";
import { wings } from "../wings/index.ts";
import { functionProcesses } from "./functions.ts";

/** What the soak asks for; the answer is sent when it is done. */
export type Order = "restart" | "figures" | "stop";

const config = loadConfig({ from: process.argv[2] ?? process.cwd() });
const storageFolder = await mkdtemp(join(tmpdir(), "homebase-soak-"));
const cluster = await Cluster.start({ projectFolder: config.projectFolder, port: undefined, durable: false });
await cloneDatabase(cluster, await ensureTemplate(cluster, config), "soaked");
const backend = await Backend.open({
  wings,
  cluster,
  databaseName: "soaked",
  config,
  storageFolder,
  sendMail: async () => undefined,
  clock: systemClock,
  log: createLog("soak", ({ level, service, message, fields }) => {
    if (level === "error") process.stderr.write(`${service}: ${message} ${JSON.stringify(fields ?? {})}\n`);
  }),
  port: 0,
});

const orders: Record<Order, () => Promise<unknown>> = {
  restart: async () => {
    const ended = new Promise((resolve) => cluster.onUnexpectedExit(resolve));
    process.kill(postmasterPid(cluster.folder) ?? process.pid, "SIGINT");
    await ended;
    await cluster.restart();
  },
  figures: async () => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const { rows } = await backend.database.query<{ count: number }>(
      "supabase_admin",
      "select count(*)::int as count from pg_stat_activity where datname = current_database()",
    );
    return {
      rss,
      heapUsed,
      files: readdirSync("/proc/self/fd").length,
      connections: rows[0]?.count ?? 0,
      functions: functionProcesses(process.pid).length,
      ...(await (backend.service("realtime") as RealtimeService).figures()),
    };
  },
  stop: async () => {
    await backend.close();
    await cluster.stop();
    await rm(storageFolder, { recursive: true, force: true });
  },
};

process.on("message", (order: Order) => {
  orders[order]()
    .then((answer) => process.send?.({ answer: answer ?? null }))
    .catch((error: unknown) => process.send?.({ error: String(error) }));
});
process.once("disconnect", () => void orders.stop().finally(() => process.exit(0)));
process.send?.({
  url: backend.url,
  publishableKey: backend.keys.publishableKey,
  address: backend.database.address,
});
