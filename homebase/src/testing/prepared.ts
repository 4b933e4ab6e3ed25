/**
 * Owns copies of what a new Backend begins with: the project's template with the buckets of config.toml and
 * their files. Storing the files takes longer than cloning a database, so a process that creates or resets
 * several Backends stores them once and copies.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { keysOf } from "../backend/create-keys.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import { createLog, type LogEntry } from "../core/log.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";

/** A database without connections, and the folder with its stored files. */
export interface PreparedData {
  database: string;
  files: string;
}

/** By cluster, then by template and storage settings. `null`: asked for once. */
const copies = new WeakMap<ClusterClient, Map<string, Promise<PreparedData | undefined> | null>>();
let count = 0;

/**
 * The prepared copy of a template. The first request for one gets undefined: with a single Backend, making the
 * copy would cost more than it saves.
 */
export async function preparedData(
  cluster: ClusterClient,
  template: string,
  config: Config,
): Promise<PreparedData | undefined> {
  const { storage, supabaseFolder } = config;
  const stores = Object.values(storage.buckets).some((bucket) => bucket.objects_path !== undefined);
  if (!storage.enabled || !stores) return undefined;
  const known = copies.get(cluster) ?? new Map<string, Promise<PreparedData | undefined> | null>();
  copies.set(cluster, known);
  const key = JSON.stringify([template, supabaseFolder, storage]);
  const found = known.get(key);
  if (found === undefined) {
    known.set(key, null);
    return undefined;
  }
  if (found) return found;
  const making = make(cluster, template, config);
  known.set(key, making);
  return making;
}

async function make(
  cluster: ClusterClient,
  template: string,
  config: Config,
): Promise<PreparedData | undefined> {
  const name = `prepared_${process.pid}_${Date.now().toString(36)}_${count++}`;
  // This folder is removed together with the cluster.
  const files = join(cluster.address.socketFolder, name);
  const warnings: LogEntry[] = [];
  const [{ createStorageService }] = await Promise.all([
    import("../storage/service.ts"),
    mkdir(files),
    cloneDatabase(cluster, template, name),
  ]);
  const service = await createStorageService({
    config,
    keys: keysOf(config),
    database: cluster.database(name),
    clock: systemClock,
    log: createLog("storage", (entry) => {
      if (entry.level !== "debug" && entry.level !== "info") warnings.push(entry);
    }),
    url: "",
    storageFolder: files,
    sendMail: async () => undefined,
    happened: () => {},
  });
  await service.prepare?.();
  await service.close();
  await cluster.release(name);
  if (warnings.length === 0) return { database: name, files };
  // Each Backend must log what could not be stored.
  await dropDatabase(cluster, name);
  return undefined;
}
