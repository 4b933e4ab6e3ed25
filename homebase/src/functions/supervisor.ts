/**
 * Owns the workers of a Backend: one per function, started by its first call, replaced when its files change,
 * stopped when idle. A replaced worker finishes its requests.
 */
import { randomBytes } from "node:crypto";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { linkThatLeaves } from "../config/project-paths.ts";
import { errorBoundary } from "../core/error-boundary.ts";
import { FolderWatch, isBelow } from "../core/folder-watch.ts";
import { privateFolder, socketsFolder } from "../core/private-folder.ts";
import type { ServiceContext } from "../service-context.ts";
import { PROXIES } from "./deno.ts";
import { denoCache, platformEnvironment, runtimeEnvironment } from "./environment.ts";
import { FunctionError } from "./errors.ts";
import { type FileBounds, FilesCheck, linksOutside } from "./modules/files-check.ts";
import { modulesOf, workspaceOf } from "./modules/graph.ts";
import { adviceFor, substitutesOf, unreached } from "./modules/substitutes.ts";
import { type FunctionDefinition, functionsFolder, readSecrets } from "./project-functions.ts";
import { Watchdog } from "./watchdog.ts";
import { hostedLimits, Worker, type WorkerLimits } from "./worker.ts";

const IDLE_MS = 60_000;
const IDLE_CHECK_MS = 5_000;
/** The part of its lifetime after which a worker takes no new requests (docs/compat/functions.md 7). */
const RETIRE_SHARE = 0.5;
/** Grace period for running requests when the stack stops. */
const STOPPING_MS = 10_000;
const NOT_WATCHED = "Saved functions are not reloaded until the next start.";

/** The workers of a Backend. */
export class Supervisor {
  readonly #context: ServiceContext;
  readonly #limits: WorkerLimits;
  readonly #folder: string;
  readonly #workers = new Map<string, Worker>();
  readonly #retiring = new Set<Promise<void>>();
  readonly #sweep: NodeJS.Timeout;
  readonly #watchdog = new Watchdog();
  readonly #singles = new Set<Worker>();
  /** Out of service, with requests left to finish. */
  readonly #draining = new Set<Worker>();
  /** Taken out of service, whether or not they still run. */
  readonly #replaced = new WeakSet<Worker>();
  /** In the order of their first start. */
  readonly #inspected: string[] = [];
  readonly #watch: FolderWatch;
  /** Watches of folders elsewhere that have modules of functions. */
  readonly #outside = new Map<string, FolderWatch>();
  /** Functions by the modules elsewhere that they import, or their import maps there. */
  readonly #users = new Map<string, Set<string>>();
  /** Functions whose remote modules this machine could not load: they start with substitutes. */
  readonly #substituted = new Set<string>();
  /** Warnings that were given, by function. */
  readonly #warned = new Set<string>();
  readonly #files = new FilesCheck();
  #closed = false;

  constructor(context: ServiceContext, limits: WorkerLimits = hostedLimits) {
    this.#context = context;
    this.#limits = limits;
    this.#folder = privateFolder(join(socketsFolder(), `fn-${randomBytes(6).toString("hex")}`));
    this.#sweep = setInterval(
      errorBoundary(context.log, "the check for idle functions", () => this.#retireIdle()),
      IDLE_CHECK_MS,
    );
    this.#sweep.unref();
    const folder = functionsFolder(context.config);
    this.#watch = new FolderWatch(folder, {
      root: dirname(context.config.supabaseFolder),
      recursive: true,
      changed: (path) => this.#changed(relative(folder, path).split(sep)[0] ?? "", path),
      otherwise: NOT_WATCHED,
      log: context.log,
    });
  }

  /**
   * The function's running worker, started if necessary. @throws FunctionError BOOT_ERROR when its code does
   * not load.
   */
  async worker(definition: FunctionDefinition): Promise<Worker> {
    if (this.#closed) throw new FunctionError("WORKER_ERROR", "The stack is stopping.");
    if (this.#oneshot) return this.#single(definition);
    let worker = this.#workers.get(definition.name);
    const age = worker ? performance.now() - worker.startedAt : 0;
    if (worker?.ended || age > this.#limits.wallClockMilliseconds * RETIRE_SHARE) {
      this.#retire(definition.name);
      worker = undefined;
    }
    if (!worker) {
      const started = this.#start(definition, () => {
        if (this.#workers.get(definition.name) === started) this.#retire(definition.name);
      });
      worker = started;
      this.#workers.set(definition.name, worker);
      this.#watchOutside(definition);
    }
    try {
      await worker.ready;
    } catch (error) {
      if (this.#replaced.has(worker) && !this.#closed) return this.worker(definition);
      // The next call retries: the file may have been fixed where no watcher sees it.
      if (this.#workers.get(definition.name) === worker) this.#workers.delete(definition.name);
      if (this.#substitutes(definition, error)) return this.worker(definition);
      throw explained(error);
    }
    // Its code changed while it started: use a worker with the newer code instead of this one.
    if (this.#replaced.has(worker)) return this.worker(definition);
    return worker;
  }

  /**
   * The cached definition of a function with a worker: checking its files for each call would cost more than
   * the call. Undefined when changes of its files cannot be watched.
   */
  serving(name: string): FunctionDefinition | undefined {
    return this.#watch.complete ? this.#workers.get(name)?.definition : undefined;
  }

  /** Running processes by function. */
  get running(): { name: string; pid: number | undefined }[] {
    return [...this.#workers].map(([name, worker]) => ({ name, pid: worker.pid }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    this.#watch.close();
    for (const watcher of this.#outside.values()) watcher.close();
    for (const name of [...this.#workers.keys()]) this.#retire(name);
    for (const worker of [...this.#singles, ...this.#draining]) void worker.retire(STOPPING_MS);
    await Promise.all(this.#retiring);
    this.#watchdog.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(definition: FunctionDefinition, spent?: () => void): Worker {
    const { config, log } = this.#context;
    // Before any of them is read; the worker checks the others.
    for (const path of [definition.entry, definition.importMap?.path, definition.packageJson]) {
      if (path !== undefined && linkThatLeaves(dirname(config.supabaseFolder), path)) {
        throw new FunctionError("BOOT_ERROR", `${path} is outside of the project.`);
      }
    }
    const own = Object.hasOwn(config.functions, definition.name)
      ? config.functions[definition.name]
      : undefined;
    if (definition.importMap?.deprecated)
      this.#warnOnce(
        definition.name,
        "import_map.json is deprecated where the configuration does not name it: use a deno.json.",
      );
    if (definition.importMap?.shared)
      this.#warnOnce(
        definition.name,
        "supabase/functions/deno.json is used here only: a deploy needs one in the function's folder.",
      );
    const substitutes = this.#substituted.has(definition.name) ? substitutesOf(definition) : undefined;
    for (const { specifier, by } of substitutes?.replaced ?? []) {
      log.warn(`${specifier} cannot be loaded on this machine. In its place: ${by}.`, {
        function: definition.name,
      });
    }
    const secrets = { ...readSecrets(config, definition, log), ...own?.env };
    const runtime = this.#runtime(secrets);
    const bounds = this.#bounds(definition, runtime);
    return new Worker({
      definition,
      substitutes: substitutes?.map,
      folder: join(this.#folder, randomBytes(4).toString("hex")),
      environment: { ...secrets, ...platformEnvironment(this.#context) },
      runtime,
      readable: [dirname(definition.entry), ...definition.staticFolders, ...this.#packages(runtime, bounds)],
      files: this.#files,
      bounds,
      limits: this.#limits,
      log,
      watchdog: this.#watchdog,
      oneshot: this.#oneshot,
      modelStandIn: config.modelStandIn,
      inspect: this.#inspector(definition.name),
      spent,
    });
  }

  /** A function may import files of its project and of Deno's cache, but not the stack's data or others' secrets. */
  #bounds(definition: FunctionDefinition, runtime: Readonly<Record<string, string>>): FileBounds {
    const { config, storageFolder } = this.#context;
    const project = dirname(config.supabaseFolder);
    const functions = realPath(functionsFolder(config));
    const named = [dirname(definition.entry), ...definition.staticFolders].map(realPath);
    return {
      roots: [
        project,
        ...[...workspaceOf(definition).values()].map(({ folder }) => folder),
        denoCache(runtime),
      ],
      // A folder with all functions is not one function's own.
      own: named.filter((folder) => folder !== functions && !isBelow(functions, folder)),
      closed: [join(project, ".homebase"), storageFolder],
    };
  }

  #runtime(secrets: Readonly<Record<string, string>>): Record<string, string> {
    const { environment, supabaseFolder } = this.#context.config;
    const proxies = Object.entries(secrets).filter(([name]) => PROXIES.includes(name));
    const all = { ...environment, ...Object.fromEntries(proxies) };
    return runtimeEnvironment(all, dirname(supabaseFolder), (name) => {
      if (this.#warned.has(name)) return;
      this.#warned.add(name);
      this.#context.log.warn(
        `${name} of the project's .env files is not used: its path, or a link below it, leaves the project, or it names a socket.`,
      );
    });
  }

  /** The npm packages in Deno's cache; none of a cache that came with the project and has links out of it. */
  #packages(runtime: Readonly<Record<string, string>>, bounds: FileBounds): string[] {
    const folder = join(denoCache(runtime), "npm");
    const project = dirname(this.#context.config.supabaseFolder);
    const foreign = isBelow(realPath(folder), realPath(project)) && linksOutside(folder, bounds).length > 0;
    return foreign ? [] : [folder];
  }

  get #oneshot(): boolean {
    return this.#context.config.edge_runtime.policy === "oneshot";
  }

  /** Each function keeps its port, so that a debugger reconnects after a reload. */
  #inspector(name: string): string | undefined {
    const { inspectFunctions, edge_runtime } = this.#context.config;
    if (!inspectFunctions) return undefined;
    if (!this.#inspected.includes(name)) this.#inspected.push(name);
    const port = edge_runtime.inspector_port + this.#inspected.indexOf(name);
    this.#context.log.info(`Its inspector listens on 127.0.0.1:${port}`, { function: name });
    return `127.0.0.1:${port}`;
  }

  /** A worker for one request only. */
  async #single(definition: FunctionDefinition): Promise<Worker> {
    const worker = this.#start(definition);
    const ending = worker.gone.finally(() => this.#retiring.delete(ending));
    this.#retiring.add(ending);
    this.#singles.add(worker);
    void worker.gone.then(() => this.#singles.delete(worker));
    try {
      await worker.ready;
    } catch (error) {
      if (this.#substitutes(definition, error)) return this.#single(definition);
      throw explained(error);
    }
    return worker;
  }

  /** Whether a start that failed at a remote module is worth another with substitutes: once. */
  #substitutes(definition: FunctionDefinition, error: unknown): boolean {
    if (this.#closed || this.#substituted.has(definition.name)) return false;
    if (!(error instanceof FunctionError && unreached(error.details))) return false;
    if (!substitutesOf(definition)) return false;
    this.#substituted.add(definition.name);
    return true;
  }

  /** Takes a worker out of service; its requests may finish. */
  #retire(name: string): void {
    const worker = this.#workers.get(name);
    if (!worker) return;
    this.#workers.delete(name);
    this.#draining.add(worker);
    this.#replaced.add(worker);
    const ending = (async () => {
      while (worker.active > 0 && !worker.ended && !this.#closed) {
        await new Promise((later) => setTimeout(later, 20));
      }
      await worker.retire();
    })().finally(() => {
      this.#retiring.delete(ending);
      this.#draining.delete(worker);
    });
    this.#retiring.add(ending);
  }

  #retireIdle(): void {
    const now = performance.now();
    for (const [name, worker] of this.#workers) {
      if (worker.active === 0 && now - worker.lastUsed > IDLE_MS) this.#retire(name);
    }
  }

  /** A function's modules may be anywhere in the project; their folders are watched once imported. */
  #watchOutside(definition: FunctionDefinition): void {
    const { files, maps, workspace } = modulesOf(definition);
    for (const specifier of workspace) {
      this.#warnOnce(
        definition.name,
        `${specifier} is a package of the workspace. Hosted finds it only where the function's import map names it.`,
      );
    }
    const { supabaseFolder } = this.#context.config;
    const watched = realPath(functionsFolder(this.#context.config));
    for (const file of [...files, ...maps].map(realPath).filter((one) => !isBelow(one, watched))) {
      const users = this.#users.get(file) ?? new Set();
      this.#users.set(file, users.add(definition.name));
      const folder = dirname(file);
      if (this.#outside.has(folder)) continue;
      const project = realPath(dirname(supabaseFolder));
      const watch = new FolderWatch(folder, {
        root: isBelow(folder, project) ? project : folder,
        changed: (path) => this.#changedOutside(path),
        otherwise: NOT_WATCHED,
        log: this.#context.log,
      });
      this.#outside.set(folder, watch);
    }
  }

  #changedOutside(path: string): void {
    for (const [file, users] of this.#users) {
      if (file !== path && !isBelow(file, path)) continue;
      for (const user of users) this.#reload(user);
    }
  }

  #warnOnce(name: string, text: string): void {
    if (this.#warned.has(`${name} ${text}`)) return;
    this.#warned.add(`${name} ${text}`);
    this.#context.log.warn(text, { function: name });
  }

  #reload(name: string): void {
    if (!this.#workers.has(name)) return;
    this.#context.log.info("Reloading after a change", { function: name });
    this.#retire(name);
  }

  /** Replaces the worker of a changed file's function; for a shared file, all workers. */
  #changed(top: string, path: string): void {
    const names = this.#workers.has(top)
      ? [top]
      : [...this.#workers.keys()].filter((name) => !this.#isOther(name, top, path));
    for (const name of names) this.#reload(name);
  }

  /** Whether a change is inside another function's folder. */
  #isOther(name: string, top: string, path: string): boolean {
    if (top === name || /^[._]/.test(top)) return false;
    // The folder was removed: it may have been any function's.
    if (!existsSync(path)) return false;
    return existsSync(join(functionsFolder(this.#context.config), top, "index.ts"));
  }
}

/** A path without links, for a file that may be missing. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** A failed start with what to do, where a remote module could not be loaded. */
function explained(error: unknown): unknown {
  const address = error instanceof FunctionError ? unreached(error.details) : undefined;
  if (!(error instanceof FunctionError) || address === undefined) return error;
  return new FunctionError(error.code, `${error.details}\n${adviceFor(address)}`);
}
