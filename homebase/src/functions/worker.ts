/**
 * Owns one Deno process that serves one function: its start with permissions and environment, its limits, its
 * output, its end. Only a separate process isolates a function: a worker thread that exhausts its heap would
 * end all of them (docs/compat/functions.md 10).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, extname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { errorBoundary, inBackground } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";
import { released } from "../core/process-life.ts";
import { Connections } from "./connections.ts";
import { denoExecutable, PROXIES } from "./deno.ts";
import { FunctionError } from "./errors.ts";
import { type FileBounds, type FilesCheck, isWithin, unreadable } from "./modules/files-check.ts";
import { workspaceOf } from "./modules/graph.ts";
import { type ImportMap, isCommonJs, packageMap } from "./modules/package-map.ts";
import { processorTime, residentMegabytes } from "./process-usage.ts";
import type { FunctionDefinition } from "./project-functions.ts";
import type { Watchdog } from "./watchdog.ts";
import { readEntries, type WorkerEntry } from "./worker-log.ts";

/** Limits of the hosted platform (docs/compat/functions.md 7). */
export interface WorkerLimits {
  memoryMegabytes: number;
  /** CPU time since the start of the oldest running request after which it takes no new requests. */
  softCpuMilliseconds: number;
  /** CPU time after which it is killed. */
  cpuMilliseconds: number;
  wallClockMilliseconds: number;
  bootMilliseconds: number;
}

export const hostedLimits: WorkerLimits = {
  memoryMegabytes: 256,
  softCpuMilliseconds: 1_000,
  cpuMilliseconds: 2_000,
  wallClockMilliseconds: 400_000,
  bootMilliseconds: 30_000,
};

export interface WorkerOptions {
  definition: FunctionDefinition;
  /** This worker's folder: its socket, its generated main module, its /tmp. Removed at the end. */
  folder: string;
  /** The environment of the function. */
  environment: Record<string, string>;
  /** Variables that Deno needs in addition; hidden from the function. */
  runtime: Record<string, string>;
  /** Folders that the function may read. */
  readable: string[];
  /** Checks the files that its modules import, against these bounds. */
  files: FilesCheck;
  bounds: FileBounds;
  limits: WorkerLimits;
  log: Log;
  /** Address of its inspector, `host:port`; disables the limits, for debugging. */
  inspect?: string;
  /** The import map in the place of its own, where modules of it cannot be loaded. */
  substitutes?: ImportMap;
  /** Whether gte-small answers with numbers of hashed words. */
  modelStandIn?: boolean;
  /** Serves only one request. */
  oneshot?: boolean;
  /** Kills it if the stack is killed while it loops. */
  watchdog?: Watchdog;
  /** Called once when its limits require that another worker takes new requests. */
  spent?(): void;
}

// The source, or its build in the package.
const PRELUDE = join(import.meta.dirname, "runtime", `prelude${extname(import.meta.url)}`);
const CHECK_MS = 100;
/** An address that nothing has (RFC 5737). */
const NOWHERE = "192.0.2.1";
/** The share of the resident size that is Deno's own, and not the function's. */
const OWN_MEGABYTES = 128;
/** How V8 exits when the heap is full: by a trap or an abort, or a shell's code for them. */
const ABORTED = new Set<NodeJS.Signals | number>(["SIGTRAP", "SIGABRT", "SIGILL", 133, 134]);
const BOOT_LINES = 30;
/** The share of a load that is Deno's own and not the modules': that of the largest packages tried, rounded up. */
const LINKING_MS = 1_000;

/**
 * The prelude where Deno can read it: under Yarn's Plug'n'Play the package is a zip archive, into which only Node
 * sees, so that it is copied beside the workers' folders, once for all of them.
 */
function readablePrelude(workerFolder: string): string {
  if (process.versions.pnp === undefined || !PRELUDE.includes(`.zip${sep}`)) return PRELUDE;
  const copy = join(dirname(workerFolder), "prelude.js");
  if (!existsSync(copy)) writeFileSync(copy, readFileSync(PRELUDE), { mode: 0o600 });
  return copy;
}

/** One Deno process that serves one function. */
export class Worker {
  readonly socket: string;
  readonly connections: Connections;
  /** Resolves when it is ready; rejects with BOOT_ERROR when it fails to start. */
  readonly ready: Promise<void>;
  /** Resolves when the process has exited. */
  readonly gone: Promise<void>;
  readonly startedAt = performance.now();
  lastUsed = performance.now();
  /** Why it was killed, if it was: the error for its pending requests. */
  killedFor: FunctionError | undefined;

  readonly #process: ChildProcess;
  readonly #options: WorkerOptions;
  /** The running requests, oldest first: CPU time in milliseconds at each start. */
  readonly #running = new Set<{ cpu: number }>();
  /** The last measured CPU time. */
  #lastCpu = 0;
  /** CPU time at the start of the newest request, whose work may go on after its response. */
  #newest: number | undefined;
  #spent = false;
  /** Whether its modules have yet to be evaluated. */
  #loading = true;
  #watch: NodeJS.Timeout | undefined;
  /** The options of Deno that choose configuration and import map. */
  #moduleOptions: string[] = [];
  /** The variables that Deno itself reads. */
  #environment: Record<string, string> = {};
  #ended = false;
  /** Whether it was told to exit. */
  #terminating = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    mkdirSync(join(options.folder, "tmp"), { recursive: true, mode: 0o700 });
    this.socket = join(options.folder, "s");
    this.connections = new Connections(this.socket);
    const mark = `homebase-ready-${randomUUID()}`;
    this.#process = this.#spawn(mark);
    for (const one of [this.#process, ...this.#process.stdio]) released(one as Socket | null);
    const { pid } = this.#process;
    if (pid !== undefined) options.watchdog?.watch(pid);
    this.gone = new Promise((resolve) => {
      const closed = (code: number | null, signal: NodeJS.Signals | null) => {
        this.#ended = true;
        if (ABORTED.has(signal ?? code ?? 0)) this.killedFor ??= new FunctionError("WORKER_LIMIT", "memory");
        clearInterval(this.#watch);
        this.connections.destroy();
        if (pid !== undefined) options.watchdog?.forget(pid);
        resolve();
        rmSync(options.folder, { recursive: true, force: true });
      };
      this.#process.once("close", errorBoundary(options.log, "the end of a function's process", closed));
    });
    this.ready = this.#boot(mark);
    if (options.inspect === undefined) {
      this.#watch = setInterval(
        errorBoundary(options.log, "the check of a function's limits", () => this.#checkLimits()),
        CHECK_MS,
      );
      this.#watch.unref();
    }
    // A caller that waits for the start handles its failure; there may be none.
    this.ready.catch(() => {});
  }

  get ended(): boolean {
    return this.#ended;
  }

  get definition(): FunctionDefinition {
    return this.#options.definition;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get active(): number {
    return this.#running.size;
  }

  /** Counts a request; the returned function ends it. */
  enter(): () => void {
    this.lastUsed = performance.now();
    // Measuring for each request would cost more than many requests do.
    const one = { cpu: this.#lastCpu };
    this.#newest = one.cpu;
    this.#running.add(one);
    return () => {
      if (!this.#running.delete(one)) return;
      this.lastUsed = performance.now();
      if (this.#running.size === 0 && this.#options.oneshot) {
        inBackground(this.#options.log, "the end of a function", () => this.retire());
      }
    };
  }

  /**
   * Stops it; background work may finish first. @param patience grace period in milliseconds; by default the
   * rest of its lifetime.
   */
  async retire(patience = this.#left): Promise<void> {
    if (this.#ended) return;
    if (!this.#terminating) this.#process.kill("SIGTERM");
    this.#terminating = true;
    const impatience = setTimeout(() => this.#process.kill("SIGKILL"), patience);
    await this.gone;
    clearTimeout(impatience);
  }

  get #left(): number {
    return Math.max(0, this.#options.limits.wallClockMilliseconds - (performance.now() - this.startedAt));
  }

  kill(reason: FunctionError): void {
    this.killedFor ??= reason;
    this.#process.kill("SIGKILL");
  }

  #spawn(mark: string): ChildProcess {
    const { definition, folder, runtime, readable, limits, substitutes } = this.#options;
    const main = join(folder, "main.ts");
    const entry = pathToFileURL(definition.entry).href;
    const prelude = pathToFileURL(readablePrelude(folder)).href;
    // Preloaded before the function's own module, which is therefore the main one (`import.meta.main`); the
    // event fires after its evaluation, and the import then returns the same module. Deno must not read its address in
    // the text: it would resolve the function's packages one by one beforehand, and miss their optional peers.
    writeFileSync(
      main,
      `import { start } from ${JSON.stringify(prelude)};\nconst entry = ${JSON.stringify(entry)};\naddEventListener("load", async () => start(await import(entry)));\n`,
    );
    const temporary = join(folder, "tmp");
    // A project's `vendor` folder would be written to, through links out of the project too.
    const args = ["run", "--no-prompt", "--quiet", "--node-modules-dir=none", "--vendor=false"];
    if (definition.importMap?.kind === "config") args.push(`--config=${definition.importMap.path}`);
    else args.push("--no-config");
    const made = substitutes ?? (definition.packageJson ? packageMap(definition.packageJson) : undefined);
    if (made) {
      const map = join(folder, "import_map.json");
      writeFileSync(map, JSON.stringify(made));
      args.push(`--import-map=${map}`);
    } else if (definition.importMap?.kind === "import-map")
      args.push(`--import-map=${definition.importMap.path}`);
    // Where the package.json is not read, Deno tells CommonJS by its syntax.
    if (definition.packageJson && isCommonJs(definition.packageJson)) args.push("--unstable-detect-cjs");
    this.#moduleOptions = args.slice(1).filter((one) => one !== "--no-prompt");
    args.push("--allow-net", "--allow-env", "--allow-import", "--allow-sys=hostname,osRelease,cpus");
    // Deno connects to a Unix socket that a proxy's address names, and asks for no permission of files: Docker's, an
    // agent's, the stack's own. Where anything of the network is denied it refuses an address without a host, and where
    // these variables are ignored nobody sets them later, in workers neither.
    args.push(`--deny-net=${NOWHERE}`, `--ignore-env=${PROXIES}`);
    args.push(`--allow-read=${pathList([...readable, folder])}`);
    args.push(`--allow-write=${pathList([temporary, this.socket])}`);
    // Deno follows links out of a readable folder.
    const { bounds } = this.#options;
    const denied = ownFolders(definition)
      .filter((own) => isWithin(own, { ...bounds, own: [] }))
      .flatMap((own) => unreadable(own, bounds));
    if (denied.length > 0) args.push(`--deny-read=${pathList(denied)}`);
    args.push("--no-lock", `--v8-flags=--max-old-space-size=${limits.memoryMegabytes}`);
    if (this.#options.inspect) args.push(`--inspect=${this.#options.inspect}`);
    args.push(`--preload=${main}`, definition.entry);
    // If Homebase is killed while a function loops, the function gets no message; the limit stops it.
    // It begins when its files are checked.
    const script = 'read -r begin || exit 0; ulimit -t "$0" 2>/dev/null; exec "$@"';
    this.#environment = {
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
      // Ignores a package.json above the function, and the one next to it, which was converted to an import
      // map. In a Deno workspace it may be the manifest of a member.
      ...(definition.importMap && workspaceOf(definition).size > 0 ? {} : { DENO_NO_PACKAGE_JSON: "1" }),
      ...runtime,
    };
    const seconds = String(Math.ceil(limits.wallClockMilliseconds / 1000));
    return spawn("/bin/sh", ["-c", script, seconds, denoExecutable(), ...args], {
      cwd: dirname(definition.entry),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env: {
        ...this.#environment,
        TMPDIR: temporary,
        HOMEBASE_TMP: temporary,
        HOMEBASE_READABLE: JSON.stringify([...readable, folder]),
        HOMEBASE_SOCKET: this.socket,
        HOMEBASE_READY_MARK: mark,
        HOMEBASE_LOG_MARK: logMark(mark),
        ...(this.#options.modelStandIn ? { HOMEBASE_MODEL_STAND_IN: "yes" } : {}),
      },
    });
  }

  #boot(mark: string): Promise<void> {
    const { definition, log, limits } = this.#options;
    const child = this.#process;
    child.stdin?.on("error", () => {});
    const words: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (why: string) =>
      reject(this.killedFor ?? new FunctionError("BOOT_ERROR", [...words, why].join("\n").trim()));
    const impatience = setTimeout(() => {
      fail(`It did not start within ${limits.bootMilliseconds / 1000} s.`);
      child.kill("SIGKILL");
    }, limits.bootMilliseconds);
    const write = errorBoundary(log, "the output of a function", ({ text, level, request }: WorkerEntry) => {
      if (text === mark) return resolve();
      if (words.length < BOOT_LINES) words.push(text);
      log[level](text, { function: definition.name, ...(request === undefined ? {} : { request }) });
    });
    const own = pathToFileURL(join(dirname(readablePrelude(this.#options.folder)), sep)).href;
    const reads = { mark: logMark(mark), own };
    if (child.stdout) readEntries(child.stdout, { ...reads, level: "info" }, write);
    if (child.stderr) readEntries(child.stderr, { ...reads, level: "warn" }, write);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => fail(""));
    this.#checkFiles().then(
      // In the process's own environment a project's variables would name libraries to its loader (LD_PRELOAD),
      // and settings to the shell and to Deno: the prelude sets them.
      () => child.stdin?.write(`\n${JSON.stringify(this.#options.environment)}\n`),
      (error: unknown) => {
        reject(error);
        child.kill("SIGKILL");
      },
    );
    return promise.finally(() => {
      clearTimeout(impatience);
      this.#loading = false;
    });
  }

  /** @throws FunctionError BOOT_ERROR for files out of bounds. */
  async #checkFiles(): Promise<void> {
    const { definition, bounds, files, limits } = this.#options;
    const { entry, importMap, packageJson } = definition;
    const declared = [...ownFolders(definition), entry, importMap?.path, packageJson];
    for (const path of declared) {
      if (path !== undefined && !isWithin(path, { ...bounds, own: [] })) {
        throw new FunctionError("BOOT_ERROR", `${path} is outside of the project, or hidden.`);
      }
    }
    if (importMap && !existsSync(importMap.path))
      throw new FunctionError("BOOT_ERROR", `Its import_map, ${importMap.path}, does not exist.`);
    const executable = denoExecutable();
    const options = this.#moduleOptions;
    const call = { executable, options, cwd: dirname(entry), environment: this.#environment };
    await files.check(entry, { ...call, timeout: limits.bootMilliseconds }, bounds);
  }

  #checkLimits(): void {
    const { limits, spent } = this.#options;
    if (residentMegabytes(this.pid) > limits.memoryMegabytes + OWN_MEGABYTES) {
      this.kill(new FunctionError("WORKER_LIMIT", "memory"));
      return;
    }
    // Modules are evaluated on this thread; others fetch and transpile them.
    if (this.#loading && processorTime(this.pid, "main thread") > limits.cpuMilliseconds + LINKING_MS) {
      this.kill(new FunctionError("WORKER_LIMIT", "processor time while its modules loaded"));
      return;
    }
    this.#lastCpu = processorTime(this.pid);
    const [oldest] = this.#running;
    // Work after the last response counts as its request's.
    const since = oldest?.cpu ?? this.#newest;
    if (since === undefined) return;
    const used = this.#lastCpu - since;
    if (performance.now() - this.startedAt > limits.wallClockMilliseconds) {
      this.kill(new FunctionError("WORKER_LIMIT", "wall clock"));
    } else if (used > limits.cpuMilliseconds) {
      this.kill(new FunctionError("WORKER_LIMIT", "processor time"));
    } else if (used > limits.softCpuMilliseconds && !this.#spent) {
      this.#spent = true;
      spent?.();
    }
  }
}

/** The folders of a function that it may read whole. */
function ownFolders({ entry, staticFolders }: FunctionDefinition): string[] {
  return [dirname(entry), ...staticFolders];
}

/** A list for an option of Deno's, which splits it at single commas. */
function pathList(paths: readonly string[]): string {
  return paths.map((path) => path.replaceAll(",", ",,")).join(",");
}

/** The beginning of the lines around a console entry. */
function logMark(readyMark: string): string {
  return `\u001e${readyMark} `;
}
