/**
 * Owns one Postgres server: its data folder, its process, its sockets. The process ends when ours does,
 * however ours ends, and a leftover of a killed run is taken down before the next start.
 */
import type { ChildProcess } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chownSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, silentLog } from "../core/log.ts";
import { layBinaries } from "./binaries.ts";
import { ClusterClient, MAINTENANCE } from "./cluster-client.ts";
import {
  type ClusterOptions,
  endLeftover,
  gone,
  initdb,
  kill,
  launch,
  postmasterPid,
  run,
  unsealed,
} from "./server-process.ts";
import { makeOwned, reachable, type ServerUser, serverFolder, serverUser } from "./user.ts";

const MARKER = "homebase.version";
const STOP_TIMEOUT_MS = 10_000;

/** A Postgres that this process runs. */
export class Cluster extends ClusterClient {
  readonly folder: string;
  /** TCP port on 127.0.0.1, when it listens on one. */
  readonly port: number | undefined;
  readonly version: string;
  /** Whether this start made the cluster. */
  readonly created: boolean;
  #process: ChildProcess;
  readonly #relaunch: () => Promise<ChildProcess>;
  readonly #durable: boolean;
  #stopping: Promise<void> | undefined;
  #onExit: ((reason: string) => void) | undefined;

  private constructor(fields: {
    folder: string;
    socketFolder: string;
    port: number | undefined;
    version: string;
    created: boolean;
    process: ChildProcess;
    relaunch: () => Promise<ChildProcess>;
    durable: boolean;
  }) {
    super({ socketFolder: fields.socketFolder, port: fields.port ?? 5432, durable: fields.durable });
    this.folder = fields.folder;
    this.port = fields.port;
    this.version = fields.version;
    this.created = fields.created;
    this.#process = fields.process;
    this.#relaunch = fields.relaunch;
    this.#durable = fields.durable;
    this.#watch();
  }

  /**
   * Starts the project's Postgres, making its data folder first when there is none.
   * @throws ClusterError with the server's own words when it does not come up.
   */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const log = options.log ?? silentLog;
    const user = serverUser();
    const home = serverFolder(options.projectFolder, user);
    makeOwned(home, undefined, 0o755);
    const binaries = await layBinaries(home, reachable(options.projectFolder, user));
    const folder = options.durable ? join(home, "data") : join(home, "test", `${process.pid}-${Date.now()}`);
    const socketFolder = join(
      tmpdir(),
      `homebase-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`,
    );
    makeOwned(socketFolder, user, 0o700);
    if (!options.durable) makeOwned(join(home, "test"), undefined, 0o755);
    await endLeftover(folder, log);

    // Written when all is made (see `keep`): a half-made folder is made again.
    const created = !existsSync(join(folder, MARKER));
    if (created) {
      rmSync(folder, { recursive: true, force: true });
      makeOwned(folder, user);
      const made = initdb(binaries, folder, user);
      options.meanwhile?.();
      await made;
    }
    ensureVaultKey(folder, user);
    const server = { binaries, folder, socketFolder, user, options, log };
    const launched = launch(server, created);
    if (!created) options.meanwhile?.();
    const process_ = await launched;
    const cluster = new Cluster({
      folder,
      socketFolder,
      port: options.port,
      version: binaries.version,
      created,
      process: process_,
      relaunch: () => launch(server, false),
      durable: options.durable,
    });
    // initdb's `postgres` becomes the maintenance database; the developer's is cloned from a template.
    if (created) {
      await cluster.admin(
        (client) => client.query(`alter database postgres rename to ${MAINTENANCE}`),
        "template1",
      );
    }
    return cluster;
  }

  #watch(): void {
    this.#process.once("exit", (code, signal) => {
      if (!this.#stopping) this.#onExit?.(`Postgres ended by itself (${signal ?? `code ${code}`}).`);
    });
  }

  /** Starts Postgres again on the same data and addresses, after it ended by itself. */
  async restart(): Promise<void> {
    if (this.#stopping) return;
    this.#process.stdin?.end();
    this.#process = await this.#relaunch();
    this.#watch();
  }

  /**
   * Ends the durable Postgres that a killed run of this project left behind, or that is still on its way
   * down; then its port is free again.
   */
  static async endLeftover(projectFolder: string, log: Log = silentLog): Promise<void> {
    await endLeftover(join(serverFolder(projectFolder, serverUser()), "data"), log);
  }

  /** Called when Postgres ends though nobody asked it to. */
  onUnexpectedExit(listener: (reason: string) => void): void {
    this.#onExit = listener;
  }

  /** The operating system's process that supervises Postgres. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * Says that what a start has to make is made: from now on the data folder is kept whatever happens.
   * Until then a crash means that it is made anew.
   */
  keep(): void {
    if (this.created) writeFileSync(join(this.folder, MARKER), `${this.version}\n`);
  }

  /**
   * Switches durability on and has everything written so far synced to disk. A cluster is made without
   * fsync, which is several times faster; losing power before this ends may lose what was written since.
   */
  async seal(): Promise<void> {
    if (!this.#durable || !unsealed(this.folder)) return;
    await this.admin(async (client) => {
      await client.query("alter system reset full_page_writes");
      await client.query("alter system reset fsync");
      await client.query("select pg_reload_conf()");
      await client.query("checkpoint");
    });
    await run("sync", ["-f", this.folder]).catch(() => undefined);
  }

  /** Stops Postgres; open transactions are rolled back. A test's data folder is removed. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.releaseAll();
    const pid = postmasterPid(this.folder);
    if (pid && this.#process.exitCode === null) {
      // SIGINT is Postgres's fast shutdown; a cluster that is thrown away need not write a checkpoint.
      kill(pid, this.#durable ? "SIGINT" : "SIGQUIT");
      await gone(pid, STOP_TIMEOUT_MS).catch(() => kill(pid, "SIGQUIT"));
      await gone(pid, STOP_TIMEOUT_MS).catch(() => kill(pid, "SIGKILL"));
    }
    this.#process.stdin?.end();
    rmSync(this.address.socketFolder, { recursive: true, force: true });
    if (!this.#durable) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What Vault's secrets are encrypted with: the server's, so that a dump of a database does not hold it. */
function ensureVaultKey(folder: string, user: ServerUser | undefined): void {
  const path = join(folder, "homebase_vault.key");
  if (existsSync(path)) return;
  writeFileSync(path, randomBytes(32), { mode: 0o600 });
  if (user) chownSync(path, user.uid, user.gid);
}
