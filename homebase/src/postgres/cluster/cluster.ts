/**
 * Owns one Postgres server: its data folder, its process, its sockets. The server process ends with this
 * process, even after a crash, and a server left by a killed run is stopped before the next start.
 */
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { errorBoundary } from "../../core/error-boundary.ts";
import { type Log, silentLog } from "../../core/log.ts";
import { privateFolder, socketsFolder } from "../../core/private-folder.ts";
import { userCache } from "../../core/user-folders.ts";
import { installBinaries } from "./binaries.ts";
import { ClusterClient } from "./cluster-client.ts";
import { inspectDataFolder, refusal, removeUnfinishedCluster, unfinishedFolder } from "./data-folder.ts";
import { clusterSecret, noteLogins, refuseBaseBackups } from "./login-access.ts";
import { ensureMaintenanceDatabase } from "./maintenance.ts";
import { stopOrphanedServer } from "./orphaned-server.ts";
import type { Ending, ServerPlace, ServerPlatform } from "./platform.ts";
import { prebuiltCluster, unpackCluster } from "./prebuilt.ts";
import {
  ClusterError,
  type ClusterOptions,
  gone,
  initdb,
  launch,
  platformOf,
  postmasterPid,
  syncDataFolder,
  unseal,
  unsealed,
} from "./server-process.ts";
import { claimStateFolder } from "./state-folder.ts";
import { syncChanged } from "./sync-changed.ts";
import {
  makeOwnedFolder,
  makeTraversableFolder,
  type ServerUser,
  serverFolder,
  serverUser,
} from "./system-user.ts";
import { prebuiltBase } from "./template-databases.ts";
import { temporaryDataFolder } from "./temporary-folder.ts";
import {
  adoptFormerVaultKey,
  makeVaultKey,
  removeFormerVaultKey,
  vaultKeyPath,
  vaultKeyState,
} from "./vault-key.ts";

const MARKER = "homebase.version";
const STOP_TIMEOUT_MS = 10_000;
/** Postgres's code of a refused password. */
const WRONG_PASSWORD = "28P01";

/** A Postgres that this process runs. */
export class Cluster extends ClusterClient {
  readonly folder: string;
  /** TCP port on 127.0.0.1; undefined without TCP. */
  readonly port: number | undefined;
  readonly version: string;
  /** Whether this start created the cluster. */
  readonly created: boolean;
  #process: ChildProcess;
  readonly #log: Log;
  readonly #relaunch: () => Promise<ChildProcess>;
  readonly #sync: () => Promise<void>;
  readonly #durable: boolean;
  readonly #platform: ServerPlatform;
  readonly #place: ServerPlace;
  #stopping: Promise<void> | undefined;
  #sealing: Promise<void> | undefined;
  #onExit: ((reason: string) => void) | undefined;
  #resting = false;

  private constructor(fields: {
    folder: string;
    socketFolder: string;
    port: number | undefined;
    version: string;
    created: boolean;
    process: ChildProcess;
    relaunch: () => Promise<ChildProcess>;
    sync: () => Promise<void>;
    durable: boolean;
    platform: ServerPlatform;
    user: ServerUser | undefined;
    secret: string;
    log: Log;
  }) {
    const { folder, socketFolder, port = 5432, durable, platform, user, secret } = fields;
    super({ socketFolder, port, durable, secret, ...(platform.tcp ? { tcp: true } : {}) });
    this.folder = folder;
    this.#platform = platform;
    this.#place = { folder, socketFolder, user };
    this.port = fields.port;
    this.version = fields.version;
    this.created = fields.created;
    this.#process = fields.process;
    this.#log = fields.log;
    this.#relaunch = fields.relaunch;
    this.#sync = fields.sync;
    this.#durable = fields.durable;
    this.#watch();
  }

  /**
   * Starts the project's Postgres, creating its data folder if necessary. @throws ClusterError with the
   * server's own message when it does not start.
   */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const log = options.log ?? silentLog;
    const user = serverUser();
    const home = options.durable
      ? claimServerFolder(options.projectFolder, user)
      : join(userCache(), "temporary");
    makeTraversableFolder(home, user);
    const binaries = installBinaries();
    const folder = options.durable ? join(home, "data") : temporaryDataFolder(home, user);
    const socketFolder = privateFolder(socketFolderOf(folder), user ? { owner: user } : {});
    const platform = platformOf(options);
    await stopOrphanedServer({ folder, socketFolder, user }, log, platform);

    const created = inspectDataFolder(folder) === "absent";
    let alreadyLoading = false;
    if (created) {
      removeUnfinishedCluster(folder);
      const making = unfinishedFolder(folder);
      makeOwnedFolder(making, user);
      const archive = prebuiltCluster(binaries.version, prebuiltBase());
      if (archive) unpackCluster(archive, making, user);
      else {
        const made = initdb(binaries, making, user);
        options.meanwhile?.();
        await made;
      }
      alreadyLoading = !archive;
      // A key that is there may be that of a backup of the data.
      if (vaultKeyState(folder) !== "whole") makeVaultKey(folder, user);
      if (options.durable) unseal(making, user);
      renameSync(making, folder);
      options.onMade?.();
    } else adoptFormerVaultKey(folder, user);
    refuseBaseBackups(folder, user);
    const secret = clusterSecret(folder, options.durable);
    const server = { binaries, folder, socketFolder, user, options, secret, log };
    const launched = launch(server).catch((error: unknown) => {
      throw error instanceof ClusterError && !created && options.durable && !error.port
        ? refusal(folder, "Postgres does not start on it", error.message)
        : error;
    });
    if (!alreadyLoading) options.meanwhile?.();
    const process_ = await launched;
    const cluster = new Cluster({
      log,
      folder,
      socketFolder,
      port: options.port,
      version: binaries.version,
      created,
      process: process_,
      relaunch: () => launch(server),
      sync: () => syncDataFolder(binaries, folder, user),
      durable: options.durable,
      platform,
      user,
      secret,
    });
    try {
      await cluster.#enter();
      if (options.durable) noteVersion(folder, binaries.version);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Logs in as the superuser, whose password somebody with its rights may have changed. */
  async #enter(): Promise<void> {
    try {
      await ensureMaintenanceDatabase(this);
    } catch (error) {
      if ((error as { code?: string }).code !== WRONG_PASSWORD) throw error;
      await this.#end("fast");
      noteLogins(this.folder, undefined);
      this.#process = await this.#relaunch();
      this.#watch();
      await ensureMaintenanceDatabase(this);
    }
  }

  #watch(): void {
    this.#process.once(
      "exit",
      errorBoundary(this.#log, "the end of Postgres", (code: number | null, signal: string | null) => {
        if (!this.#stopping && !this.#resting)
          this.#onExit?.(`Postgres ended by itself (${signal ?? `code ${code}`}).`);
      }),
    );
  }

  /** Starts Postgres again with the same data and addresses, after an unexpected exit. */
  async restart(): Promise<void> {
    if (this.#stopping) return;
    this.#process.stdin?.end();
    await stopOrphanedServer(this.#place, this.#log, this.#platform);
    refuseBaseBackups(this.folder, this.#place.user);
    this.#process = await this.#relaunch();
    this.#watch();
  }

  /**
   * Stops Postgres while `work` copies or replaces its data folder, and starts it again on what is there then, also where
   * `work` fails. Its sessions end. @throws ClusterError when it does not start
   */
  async atRest<T>(work: () => Promise<T>): Promise<T> {
    await this.#sealing?.catch(() => {});
    this.#resting = true;
    try {
      await this.releaseAll();
      await this.#end("fast");
      try {
        return await work();
      } finally {
        await this.restart();
        await this.#enter();
      }
    } finally {
      this.#resting = false;
    }
  }

  /**
   * Stops the durable Postgres that a killed run of this project left, or that is still shutting down; its
   * port is free afterwards.
   */
  static async stopOrphanedServer(projectFolder: string, log: Log = silentLog): Promise<void> {
    const folder = Cluster.dataFolder(projectFolder);
    await stopOrphanedServer({ folder, socketFolder: socketFolderOf(folder), user: serverUser() }, log);
  }

  /** Whether a project has a durable cluster. @throws DataFolderError */
  static exists(projectFolder: string): boolean {
    return inspectDataFolder(Cluster.dataFolder(projectFolder)) === "present";
  }

  /** The path of a project's durable cluster, which may not exist. */
  static dataFolder(projectFolder: string): string {
    return join(serverFolder(projectFolder, serverUser()), "data");
  }

  /** Lets this process end although the server runs. */
  unref(): void {
    const { stdin, stderr } = this.#process;
    this.#process.unref();
    // Bun has none for the input of a process.
    for (const stream of [stdin, stderr]) (stream as Partial<Socket> | null)?.unref?.();
  }

  /** Called when Postgres exits unexpectedly. */
  onUnexpectedExit(listener: (reason: string) => void): void {
    this.#onExit = listener;
  }

  /** Whether Vault's key exists. */
  vaultKey(): "whole" | "missing" | "damaged" {
    return vaultKeyState(this.folder);
  }

  /** Writes a new key for Vault: secrets encrypted with another key can no longer be read. */
  makeVaultKey(): void {
    makeVaultKey(this.folder, serverUser());
  }

  /** Removes the key that an earlier version had in the data folder, where a copy of the server's files has it. */
  removeFormerVaultKey(): void {
    removeFormerVaultKey(this.folder);
  }

  /** The operating system's process that supervises Postgres. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * Enables durability and syncs everything written so far to disk. A cluster is created without fsync, which
   * is several times faster; a power failure before this ends may lose what was written since. Most is synced while
   * no commit waits for the disk yet, and at the end only what was written meanwhile.
   */
  seal(): Promise<void> {
    this.#sealing ??= this.#seal();
    return this.#sealing;
  }

  /** Writes what a stop would write, so that a stop right after it is short. */
  async settle(): Promise<void> {
    await this.seal();
    await this.admin((client) => client.query("checkpoint"));
  }

  async #seal(): Promise<void> {
    if (!this.#durable || !unsealed(this.folder)) return;
    await this.admin((client) => client.query("checkpoint"));
    const since = Date.now();
    await this.#sync();
    await this.admin(async (client) => {
      await client.query("alter system reset full_page_writes");
      await client.query("alter system reset fsync");
      await client.query("select pg_reload_conf()");
      await client.query("checkpoint");
    });
    await syncChanged(this.folder, since);
  }

  /** Stops Postgres; open transactions are rolled back. A temporary cluster's data folder is removed. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    // Whoever stops a stack takes its rows for stored, also after a power cut.
    await this.#sealing?.catch(() => {});
    await this.releaseAll();
    // A temporary cluster needs no checkpoint.
    await this.#end(this.#durable ? "fast" : "immediate");
    rmSync(this.address.socketFolder, { recursive: true, force: true });
    if (this.#durable) return;
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(vaultKeyPath(this.folder), { force: true });
  }

  /** Ends the server's process. */
  async #end(first: Ending): Promise<void> {
    const pid = postmasterPid(this.folder);
    if (pid && this.#process.exitCode === null) {
      const end = (ending: Ending) => this.#platform.end(this.#place, pid, ending);
      await end(first);
      await gone(pid, STOP_TIMEOUT_MS).catch(() => end("immediate"));
      await gone(pid, STOP_TIMEOUT_MS).catch(() => end("kill"));
    }
    this.#process.stdin?.end();
    // The shell exits after the server; until then the data folder is in use.
    await exited(this.#process, STOP_TIMEOUT_MS);
  }
}

/** The folder of a durable cluster. Nothing that is in it runs before it is known to be this user's. */
function claimServerFolder(projectFolder: string, user: ServerUser | undefined): string {
  claimStateFolder(projectFolder);
  return serverFolder(projectFolder, user);
}

/** Information for people and later versions; no code reads it. */
function noteVersion(folder: string, version: string): void {
  try {
    writeFileSync(join(folder, MARKER), `${version}\n`, { mode: 0o600 });
  } catch {
    // Ignore errors: a folder in its place or a full disk is reported where it matters.
  }
}

/** Resolves when a child has exited, or after `timeout` milliseconds. */
function exited(child: ChildProcess, timeout: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeout);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The socket folder of a data folder's server. */
function socketFolderOf(folder: string): string {
  return join(socketsFolder(), `pg-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`);
}
