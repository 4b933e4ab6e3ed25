/**
 * Owns the developer's own stack: the durable cluster, the database `postgres` with the project's
 * migrations applied in place, the Backend on 54321, the inbox on 54324, and what happens on save.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { Cluster } from "../postgres/cluster.ts";
import type { Backend } from "./backend.ts";
import type { OpenInbox } from "./inbox.ts";
import { watchMigrations } from "./migration-watch.ts";
import { portFree, portHolder } from "./ports.ts";
import { DATABASE, type Notice, ProjectDatabase } from "./project-database.ts";

export interface StackOptions {
  config: Config;
  log: Log;
  /** Told in a few words what is being done. */
  onProgress?: (step: string) => void;
  /** Told of everything about migrations and seeds that a developer wants to read. */
  onNotice?: (notice: Notice) => void;
  keylessAllowed?: boolean;
}

/** A port that the stack needs is held by somebody else. */
export class PortHeld extends Error {
  readonly port: number;
  readonly purpose: string;
  readonly holder: string | undefined;
  constructor(port: number, purpose: string) {
    const holder = portHolder(port);
    super(
      `Port ${port} (${purpose}) is held by ${holder ?? "another process"}.\n` +
        "Stop it, or choose other ports: --port-offset 100 moves all of them, supabase/config.toml sets each.",
    );
    this.port = port;
    this.purpose = purpose;
    this.holder = holder;
  }
}

/** See the file's head. */
export class DeveloperStack {
  readonly config: Config;
  readonly cluster: Cluster;
  readonly backend: Backend;
  readonly inbox: OpenInbox;
  readonly #options: StackOptions;
  readonly #project: ProjectDatabase;
  readonly #stopWatching: () => void;
  #working: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> | undefined;

  private constructor(
    options: StackOptions,
    cluster: Cluster,
    project: ProjectDatabase,
    backend: Backend,
    inbox: OpenInbox,
  ) {
    this.#options = options;
    this.config = options.config;
    this.cluster = cluster;
    this.#project = project;
    this.backend = backend;
    this.inbox = inbox;
    this.#stopWatching = watchMigrations(options.config.supabaseFolder, () => void this.migrate());
    cluster.onUnexpectedExit((reason) => void this.#revive(reason));
  }

  /**
   * Starts everything; resolves when every service answers.
   * @throws PortHeld, ClusterError, ConfigError. A migration that fails is a notice, not an error: the
   * stack serves what could be applied.
   */
  static async start(options: StackOptions): Promise<DeveloperStack> {
    const { config, log, onProgress = () => {} } = options;
    await Cluster.endLeftover(config.projectFolder, log.named("postgres"));
    await demandPorts(config);
    onProgress("Starting Postgres");
    const cluster = await Cluster.start({
      projectFolder: config.projectFolder,
      port: config.db.port,
      durable: true,
      settings: config.db.settings,
      log: log.named("postgres"),
      // A failure to load is met where the code is used.
      meanwhile: () => void loadWhileWaiting().catch(() => undefined),
    });
    try {
      onProgress(cluster.created ? "Preparing the database" : "Opening the database");
      const project = new ProjectDatabase(cluster, config, options.onNotice);
      const fresh = await project.ensure();
      await project.migrate(fresh);
      cluster.keep();
      onProgress("Starting the services");
      const { Backend, openInbox } = await loadWhileWaiting();
      const folder = join(config.projectFolder, ".homebase");
      const inbox = await openInbox({
        folder: join(folder, "inbox"),
        port: config.local_smtp.enabled ? config.local_smtp.port : undefined,
        clock: systemClock,
        log: log.named("mail"),
      });
      const backend = await Backend.open({
        cluster,
        databaseName: DATABASE,
        config,
        storageFolder: join(folder, "storage"),
        sendMail: inbox.sendMail,
        clock: systemClock,
        log,
        port: config.api.port,
        ...(options.keylessAllowed ? { keylessAllowed: true } : {}),
      }).catch(async (error: unknown) => {
        await inbox.close();
        throw error;
      });
      if (fresh) await backend.prepare();
      // Everything answers: the syncing of what a first start has written need not be waited for.
      cluster
        .seal()
        .catch((error: unknown) => log.error("Durability is not on yet.", { error: String(error) }));
      return new DeveloperStack(options, cluster, project, backend, inbox);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Applies pending migrations in place. Failures and edits are notices. One run at a time. */
  migrate(): Promise<void> {
    return this.#alone(() => this.#project.migrate(false));
  }

  /**
   * Rebuilds database and files from the project's files. When a file fails, the error is thrown and the
   * present database goes on serving, untouched.
   */
  reset(): Promise<void> {
    return this.#alone(async () => {
      const next = await this.#project.buildNext();
      await this.backend.replaceDatabase(async () => {
        await this.#project.swapIn(next);
        rmSync(join(this.config.projectFolder, ".homebase", "storage"), { recursive: true, force: true });
        return DATABASE;
      });
      await this.backend.prepare();
    });
  }

  /** Stops everything, children included. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      this.#stopWatching();
      await this.#working.catch(() => undefined);
      await Promise.all([this.backend.close(), this.inbox.close()]);
      await this.cluster.stop();
    })();
    return this.#stopping;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#working.catch(() => undefined).then(work);
    this.#working = next;
    return next;
  }

  async #revive(reason: string): Promise<void> {
    if (this.#stopping) return;
    this.#options.log.warn(reason);
    await this.cluster.restart();
    this.#options.onNotice?.({ kind: "restarted", reason });
  }
}

/** Code that is needed only once Postgres is up: loaded while its process starts beside ours. */
async function loadWhileWaiting() {
  const [{ Backend }, { openInbox }, { preloadServices }] = await Promise.all([
    import("./backend.ts"),
    import("./inbox.ts"),
    import("./services.ts"),
  ]);
  await preloadServices();
  return { Backend, openInbox };
}

async function demandPorts(config: Config): Promise<void> {
  const needed: [number, string][] = [
    [config.api.port, "API"],
    [config.db.port, "database"],
  ];
  if (config.local_smtp.enabled) needed.push([config.local_smtp.port, "inbox"]);
  for (const [port, purpose] of needed) if (!(await portFree(port))) throw new PortHeld(port, purpose);
}
