/**
 * Owns the developer's own stack: the durable cluster, the database `postgres` with the project's migrations
 * applied in place, the Backend on 54321, the inbox on 54324, and reloading on save.
 */
import { join } from "node:path";
import type { Backend } from "../backend/backend.ts";
import type { OpenInbox } from "../backend/inbox.ts";
import { type Config, ConfigError } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import { errorBoundary } from "../core/error-boundary.ts";
import { Happenings } from "../core/happenings.ts";
import { releaseMemoryWhenIdle } from "../core/idle-memory.ts";
import type { Log } from "../core/log.ts";
import type { DiffRequest, DiffResult } from "../diff/project-diff.ts";
import { PortTaken } from "../http/port-taken.ts";
import { Cluster } from "../postgres/cluster/cluster.ts";
import { ClusterError } from "../postgres/cluster/server-process.ts";
import { issuerFileOf, stateFolderOf } from "../postgres/cluster/state-folder.ts";
import { vaultKeyPath } from "../postgres/cluster/vault-key.ts";
import type { ProjectFileError } from "../postgres/files/errors.ts";
import { OtherBranch } from "./branch-of-state.ts";
import type { DataLock } from "./data-lock.ts";
import { watchMigrations } from "./migration-watch.ts";
import { lookAtVaultKey } from "./missing-vault-key.ts";
import type { MigrationOutcome, Notice } from "./notices.ts";
import { chooseFreePorts, equalPorts } from "./port-choice.ts";
import { PortInUse } from "./ports.ts";
import { ProjectDatabase } from "./project-database.ts";
import { requirePorts, waitForPorts } from "./required-ports.ts";
import { DATABASE } from "./stack-databases.ts";
import { StackReset } from "./stack-reset.ts";
import { StackRestore } from "./stack-restore.ts";
import type { DeveloperStart, HeldStack, Opened, StackWing, Told } from "./stack-wing.ts";
import type { StateSwap } from "./state-swap.ts";
import { StorageFolder } from "./storage-folder.ts";
import { unprotectedTables } from "./unprotected-tables.ts";

export interface StackOptions {
  config: Config;
  log: Log;
  /** The lock on the project's data, which the caller holds for as long as the stack runs. */
  lock: DataLock;
  /** Called with a short progress message. */
  onProgress?: ((step: string) => void) | undefined;
  /** Called for each second of a wait, with a text that replaces the one before. */
  onWait?: (text: string) => void;
  /** Called with notices about migrations and seeds. */
  onNotice?: (notice: Notice) => void;
  keylessAllowed?: boolean;
  /** Uses free ports instead of occupied ones, unless the project requires specific ports. */
  choosePorts?: boolean;
  /** Features that can be left out. */
  wings?: readonly StackWing[];
  /** What the services of `wings` that only this start has are told; without it there are none. */
  start?: Told;
  /** Where the caller's log goes too; one of its own by default. */
  happenings?: Happenings;
  /** Does not change an existing database: for a reset, which is about to replace it. */
  leaveDatabase?: boolean;
}

export interface ResetOptions {
  seed?: boolean;
  lastMigration?: string | undefined;
}

/** The developer's own stack. */
export class DeveloperStack implements HeldStack {
  readonly config: Config;
  readonly cluster: Cluster;
  readonly backend: Backend;
  readonly inbox: OpenInbox;
  readonly #options: StackOptions;
  readonly #project: ProjectDatabase;
  readonly #reset: StackReset;
  readonly #restore: StackRestore;
  /** What this start changed in the database. */
  readonly migrated: MigrationOutcome;
  /** What wings have opened beside the gateway. */
  readonly beside: Opened[] = [];
  readonly #stopWatching: () => void;
  readonly #stopReleasingMemory: () => void;
  #working: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  private constructor(
    options: StackOptions,
    parts: {
      cluster: Cluster;
      project: ProjectDatabase;
      files: StorageFolder;
      backend: Backend;
      inbox: OpenInbox;
      migrated: MigrationOutcome;
    },
  ) {
    this.#options = options;
    this.config = options.config;
    this.cluster = parts.cluster;
    this.#project = parts.project;
    this.backend = parts.backend;
    this.inbox = parts.inbox;
    this.migrated = parts.migrated;
    this.#reset = new StackReset({ ...parts, config: options.config, log: options.log });
    this.#restore = new StackRestore({ ...parts, log: options.log });
    this.#stopReleasingMemory = releaseMemoryWhenIdle(options.log);
    this.#stopWatching = watchMigrations(options.config.supabaseFolder, () => this.migrate(), options.log);
    this.cluster.onUnexpectedExit(
      errorBoundary(options.log, "the end of Postgres", (reason: string) => this.#revive(reason)),
    );
  }

  /**
   * Starts everything; resolves when every service is ready. A failing migration is a notice, not an error:
   * the stack serves what could be applied.
   * @throws PortInUse, ClusterError, ConfigError, DataFolderError, UnsafeFolder
   */
  static async start(options: StackOptions): Promise<DeveloperStack> {
    const { config, log, lock, wings = [], start: told, onProgress = () => {} } = options;
    if (lock.undone !== undefined) options.onNotice?.({ kind: "restore-undone", by: lock.undone });
    const beside = told ? wings : [];
    const equal = equalPorts(config, beside);
    if (equal !== undefined) throw new ConfigError(equal);
    await Cluster.stopOrphanedServer(config.projectFolder, log.named("postgres"));
    await waitForPorts(options, beside);
    const chosen = options.choosePorts ? await chooseFreePorts(config, beside) : undefined;
    if (chosen !== undefined) options.onNotice?.({ kind: "ports", text: chosen });
    await requirePorts(config, beside);
    const folder = stateFolderOf(config.projectFolder);
    const files = new StorageFolder(folder);
    const refuseFiles = () => files.refuseFilesWithoutDatabase(Cluster.dataFolder(config.projectFolder));
    if (!Cluster.exists(config.projectFolder)) refuseFiles();
    onProgress(Cluster.exists(config.projectFolder) ? "Starting Postgres" : "Making a cluster");
    const cluster = await Cluster.start({
      projectFolder: config.projectFolder,
      port: config.db.port,
      durable: true,
      settings: config.db.settings,
      log: log.named("postgres"),
      onMade: () => onProgress("Starting Postgres"),
      // A failed preload is reported where the code is used.
      meanwhile: () => void preloadCode().catch(() => undefined),
    }).catch((error: unknown) => {
      throw error instanceof ClusterError && error.port ? new PortInUse(error.port, "database") : error;
    });
    try {
      onProgress(cluster.created ? "Preparing the database" : "Opening the database");
      const happenings = options.happenings ?? new Happenings();
      const project = new ProjectDatabase(cluster, config, (notice) => {
        noteFiles(notice, happenings);
        options.onNotice?.(notice);
      });
      const found = await project.ensure(refuseFiles);
      await files.pair(found.id, { known: found.known, owns: (versions) => project.owns(versions) });
      const rows = files.holdsObjects() ? 0 : await project.storedObjects();
      if (rows > 0) options.onNotice?.({ kind: "objects", path: files.objects, rows });
      const unreadable = await lookAtVaultKey(cluster, DATABASE);
      if (unreadable !== undefined) {
        options.onNotice?.({ kind: "vault-key", path: vaultKeyPath(cluster.folder), secrets: unreadable });
      }
      onProgress("Looking at migrations");
      const waits = (error: unknown) => {
        if (!(error instanceof OtherBranch)) throw error;
        options.onNotice?.({ kind: "other-branch", text: error.message });
        return NOTHING_DONE;
      };
      const left = options.leaveDatabase && found.before === "done";
      const migrated = left ? NOTHING_DONE : await project.migrate(found.before).catch(waits);
      if (found.before !== "done") await project.filling();
      onProgress("Starting the services");
      const { Backend, openInbox } = await preloadCode();
      const inbox = await openInbox({
        folder: join(folder, "inbox"),
        port: config.local_smtp.enabled ? config.local_smtp.port : undefined,
        clock: systemClock,
        log: log.named("mail"),
      }).catch((error: unknown) => {
        throw isTaken(error) ? new PortInUse(config.local_smtp.port, "inbox") : error;
      });
      const backend = await Backend.open({
        cluster,
        databaseName: DATABASE,
        config,
        storageFolder: files.path,
        issuerFile: issuerFileOf(config.projectFolder),
        sendMail: inbox.sendMail,
        clock: systemClock,
        log,
        port: config.api.port,
        jobless: left,
        ...(options.keylessAllowed ? { keylessAllowed: true } : {}),
        wings,
        happenings,
        services: told && servicesOf(wings, { ...told, inbox, unapplied: () => project.failed?.problem() }),
      }).catch(async (error: unknown) => {
        await inbox.close();
        throw error instanceof PortTaken ? new PortInUse(config.api.port, "API") : error;
      });
      const stack = new DeveloperStack(options, { cluster, project, files, backend, inbox, migrated });
      await stack.#openBeside().catch(async (error: unknown) => {
        await stack.stop();
        throw error;
      });
      await stack.#complete(found).catch(async (error: unknown) => {
        await stack.stop();
        throw error;
      });
      // Do not wait for syncing the first start's files: everything is ready.
      cluster
        .seal()
        .catch((error: unknown) => log.error("Fsync could not be turned on yet.", { error: String(error) }));
      return stack;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Why a file of the project could not be applied, until it is. */
  get unapplied(): ProjectFileError | undefined {
    return this.#project.failed;
  }

  /** Tables that the API's roles reach without row level security. */
  unprotected(): Promise<string[]> {
    return unprotectedTables(this.cluster.database(DATABASE), this.config.api.schemas);
  }

  /**
   * Applies pending migrations in place. Failures and edits are notices. One run at a time.
   * @param options.all also those that a reset to an earlier version has left out
   */
  migrate(options: { all?: boolean } = {}): Promise<MigrationOutcome> {
    return this.alone(() => this.#project.migrate("done", options));
  }

  /**
   * Rebuilds database and stored files from the project's files. The old ones remain until the new ones are
   * complete. @param options.seed whether the seed runs. @param options.lastMigration the version to end with.
   * @throws ProjectFileError when a file fails: nothing was changed. ResetFailed for a later failure: its message
   * says what is in place.
   */
  reset({ seed = true, lastMigration }: ResetOptions = {}): Promise<void> {
    return this.alone(() => this.#reset.run(seed, lastMigration));
  }

  /**
   * Runs `work` while services and Postgres are stopped. @param reason for clients of Realtime
   * @returns how long requests waited, in ms
   */
  atRest(work: () => Promise<void>, reason: string): Promise<number> {
    return this.alone(() => this.#restore.atRest(work, reason));
  }

  /** Replaces the whole state by the prepared one. @throws RestoreFailed: its message says what is in place. */
  restore(swap: StateSwap): Promise<MigrationOutcome> {
    return this.alone(() => this.#restore.run(swap));
  }

  /**
   * Compares the migrations with the schema files, or else with the developer's database.
   * @throws ProjectFileError, DiffRefused
   */
  diff(request: DiffRequest): Promise<DiffResult> {
    return this.alone(async () => {
      const { diffProject } = await import("../diff/project-diff.ts");
      return diffProject(this.cluster, this.config, this.cluster.database(DATABASE), request);
    });
  }

  /** Waits for the migration, comparison or reset that runs, and keeps others waiting meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#working.catch(() => undefined).then(work);
    this.#working = next;
    return next;
  }

  /** Restarts everything in this process on the same ports; Postgres, a process of its own, keeps running. */
  async restart(): Promise<void> {
    if (this.#stopping) return;
    await Promise.all([this.backend.restart(), this.inbox.restart()]);
  }

  /** Stops everything, including child processes. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      this.#stopWatching();
      this.#stopReleasingMemory();
      await this.#working.catch(() => undefined);
      // First: it asks the Backend.
      await Promise.all(this.beside.map((one) => one.close()));
      await Promise.all([this.backend.close(), this.inbox.close()]);
      await this.cluster.stop();
    })();
    return this.#stopping;
  }

  /** @throws PortInUse */
  async #openBeside(): Promise<void> {
    const { wings = [], start: told, config } = this.#options;
    if (!told) return;
    const load = wings.find((wing) => wing.snapshots)?.snapshots;
    const snapshots = load && (async () => (await load())(this));
    for (const { beside } of wings) {
      const [port, purpose] = beside?.port(config) ?? [];
      if (!beside || port === undefined || purpose === undefined) continue;
      const { inbox, backend } = this;
      const start = {
        ...{ ...told, inbox, backend, snapshots },
        unapplied: () => this.unapplied?.problem(),
      };
      this.beside.push(
        await beside.open(start).catch((error: unknown) => {
          throw error instanceof PortTaken ? new PortInUse(port, purpose) : error;
        }),
      );
    }
  }

  /** Completes an interrupted first start or reset. */
  async #complete(found: { unprepared: boolean; replaced: boolean }): Promise<void> {
    if (found.unprepared) {
      await this.backend.prepare();
      await this.#project.whole();
    }
    if (!found.replaced) return;
    await this.#reset.forgetReplaced();
    this.#options.onNotice?.({ kind: "reset-finished" });
  }

  /** Restarts Postgres, with retries: the obstacle (a full disk) may be temporary. */
  async #revive(reason: string): Promise<void> {
    const { log, onNotice } = this.#options;
    log.warn(reason);
    for (let attempt = 1; !this.#stopping; attempt += 1) {
      try {
        await this.cluster.restart();
        onNotice?.({ kind: "restarted", reason });
        break;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        if (attempt === 1) log.error("Postgres cannot be restarted yet; trying again.", { error: text });
        await new Promise((resolve) => setTimeout(resolve, REVIVE_PAUSE_MS));
      }
    }
    await this.backend.recover().catch((error: unknown) => {
      if (!this.#stopping)
        log.warn("Cleaning up after the crash failed; it is tried again at the next start.", {
          error: String(error),
        });
    });
  }
}

function noteFiles(notice: Notice, { happened }: Happenings): void {
  if (notice.kind === "applied" || notice.kind === "seeded") {
    for (const file of notice.files) happened({ kind: "file", file, outcome: notice.kind });
  } else if (notice.kind === "replaced") happened({ kind: "file", file: notice.file, outcome: "replaced" });
  else if (notice.kind === "failed") {
    const { file } = notice.error;
    happened({ kind: "file", file, outcome: "failed", failure: notice.error.describe() });
  }
}

const REVIVE_PAUSE_MS = 1_000;
const NOTHING_DONE: MigrationOutcome = { applied: [], replaced: [], seeded: [], failed: undefined };

/** The services that wings bring for a developer's start alone. */
function servicesOf(wings: readonly StackWing[], told: Omit<DeveloperStart, "backend">) {
  const brought = wings.flatMap(({ stack = {} }) => Object.entries(stack));
  return Object.fromEntries(
    brought.map(([name, create]) => [name, (backend: Backend) => create({ ...told, backend })]),
  );
}

/** Code needed only once Postgres is ready: loaded while its process starts. */
async function preloadCode() {
  const [{ Backend }, { openInbox }, { preloadServices }] = await Promise.all([
    import("../backend/backend.ts"),
    import("../backend/inbox.ts"),
    import("../backend/services.ts"),
  ]);
  await preloadServices();
  return { Backend, openInbox };
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EADDRINUSE";
}
