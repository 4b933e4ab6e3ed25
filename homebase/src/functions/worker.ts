/**
 * Owns one Deno process that serves one function: its start with permissions and environment, its limits, its
 * output, its end. Only a separate process isolates a function: a worker thread that exhausts its heap would
 * end all of them (docs/compat/functions.md 10).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { errorBoundary, inBackground } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";
import type { FunctionDefinition } from "./catalog.ts";
import { Connections } from "./connections.ts";
import { denoExecutable } from "./deno.ts";
import { FunctionError } from "./errors.ts";
import { workspaceOf } from "./modules/graph.ts";
import { type ImportMap, packageMap } from "./modules/package-map.ts";
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
  limits: WorkerLimits;
  log: Log;
  /** Address of its inspector, `host:port`; disables the limits, for debugging. */
  inspect?: string | undefined;
  /** The import map in the place of its own, where modules of it cannot be loaded. */
  substitutes?: ImportMap | undefined;
  /** Serves only one request. */
  oneshot?: boolean;
  /** Kills it if the stack is killed while it loops. */
  watchdog?: Watchdog;
  /** Called once when its limits require that another worker takes new requests. */
  spent?(): void;
}

// The source, or its build in the package.
const PRELUDE = pathToFileURL(
  join(import.meta.dirname, "runtime", `prelude${extname(import.meta.url)}`),
).href;
const CPU_CHECK_MS = 100;
/** Linux measures CPU time of a process in hundredths of a second. */
const TICK_MS = 10;
/** How V8 exits when the heap is full: by a trap or an abort, or a shell's code for them. */
const ABORTED = new Set<NodeJS.Signals | number>(["SIGTRAP", "SIGABRT", "SIGILL", 133, 134]);
const BOOT_LINES = 30;

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
  #spent = false;
  #watch: NodeJS.Timeout | undefined;
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

  /** Counts a request; the returned function ends it. Limits are checked while any request runs. */
  enter(): () => void {
    this.lastUsed = performance.now();
    if (this.#watch === undefined && this.#options.inspect === undefined) {
      this.#lastCpu = this.#cpu();
      this.#watch = setInterval(
        errorBoundary(this.#options.log, "the check of a function's limits", () => this.#checkLimits()),
        CPU_CHECK_MS,
      );
      this.#watch.unref();
    }
    // Measuring for each request would cost more than many requests do.
    const one = { cpu: this.#lastCpu };
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
    const { definition, folder, environment, runtime, readable, limits, substitutes } = this.#options;
    const main = join(folder, "main.ts");
    const entry = pathToFileURL(definition.entry).href;
    // Preloaded before the function's own module, which is therefore the main one (`import.meta.main`); the
    // event fires after its evaluation, and the import then returns the same module.
    writeFileSync(
      main,
      `import { start } from ${JSON.stringify(PRELUDE)};\naddEventListener("load", async () => start(await import(${JSON.stringify(entry)})));\n`,
    );
    const temporary = join(folder, "tmp");
    const args = ["run", "--quiet", "--no-prompt", "--no-lock", "--node-modules-dir=none"];
    if (definition.importMap?.kind === "config") args.push(`--config=${definition.importMap.path}`);
    else args.push("--no-config");
    const made = substitutes ?? (definition.packageJson ? packageMap(definition.packageJson) : undefined);
    if (made) {
      const map = join(folder, "import_map.json");
      writeFileSync(map, JSON.stringify(made));
      args.push(`--import-map=${map}`);
    } else if (definition.importMap?.kind === "import-map")
      args.push(`--import-map=${definition.importMap.path}`);
    args.push("--allow-net", "--allow-env", "--allow-import", "--allow-sys=hostname,osRelease,cpus");
    args.push(
      `--allow-read=${[...readable, folder].join(",")}`,
      `--allow-write=${[temporary, this.socket].join(",")}`,
    );
    args.push(`--v8-flags=--max-old-space-size=${limits.memoryMegabytes}`);
    if (this.#options.inspect) args.push(`--inspect=${this.#options.inspect}`);
    args.push(`--preload=${main}`, definition.entry);
    // If Homebase is killed while a function loops, the function gets no message; the limit stops it.
    const script = 'ulimit -t "$0" 2>/dev/null; exec "$@"';
    const seconds = String(Math.ceil(limits.wallClockMilliseconds / 1000));
    return spawn("/bin/sh", ["-c", script, seconds, denoExecutable(), ...args], {
      cwd: dirname(definition.entry),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env: {
        NO_COLOR: "1",
        DENO_NO_UPDATE_CHECK: "1",
        // Ignores a package.json above the function, and the one next to it, which was converted to an import
        // map. In a Deno workspace it may be the manifest of a member.
        ...(definition.importMap && workspaceOf(definition).size > 0 ? {} : { DENO_NO_PACKAGE_JSON: "1" }),
        ...runtime,
        ...environment,
        TMPDIR: temporary,
        HOMEBASE_TMP: temporary,
        HOMEBASE_READABLE: JSON.stringify([...readable, folder]),
        HOMEBASE_SOCKET: this.socket,
        HOMEBASE_READY_MARK: mark,
        HOMEBASE_LOG_MARK: logMark(mark),
        HOMEBASE_VISIBLE: JSON.stringify(Object.keys(environment)),
      },
    });
  }

  #boot(mark: string): Promise<void> {
    const { definition, log, limits } = this.#options;
    const child = this.#process;
    child.stdin?.on("error", () => {});
    const words: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const fail = (why: string) => reject(new FunctionError("BOOT_ERROR", [...words, why].join("\n").trim()));
    const impatience = setTimeout(() => {
      fail(`It did not start within ${limits.bootMilliseconds / 1000} s.`);
      child.kill("SIGKILL");
    }, limits.bootMilliseconds);
    const write = errorBoundary(log, "the output of a function", ({ text, level, request }: WorkerEntry) => {
      if (text === mark) return resolve();
      if (words.length < BOOT_LINES) words.push(text);
      log[level](text, { function: definition.name, ...(request === undefined ? {} : { request }) });
    });
    if (child.stdout) readEntries(child.stdout, logMark(mark), "info", write);
    if (child.stderr) readEntries(child.stderr, logMark(mark), "warn", write);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => fail(""));
    return promise.finally(() => clearTimeout(impatience));
  }

  #checkLimits(): void {
    const { limits, spent } = this.#options;
    const [oldest] = this.#running;
    if (!oldest) {
      // Not at the end of the last request: the next one often follows at once.
      clearInterval(this.#watch);
      this.#watch = undefined;
      return;
    }
    this.#lastCpu = this.#cpu();
    const used = this.#lastCpu - oldest.cpu;
    if (performance.now() - this.startedAt > limits.wallClockMilliseconds) {
      this.kill(new FunctionError("WORKER_LIMIT", "wall clock"));
    } else if (used > limits.cpuMilliseconds) {
      this.kill(new FunctionError("WORKER_LIMIT", "processor time"));
    } else if (used > limits.softCpuMilliseconds && !this.#spent) {
      this.#spent = true;
      spent?.();
    }
  }

  /** CPU time so far in milliseconds; 0 where the system does not provide it. */
  #cpu(): number {
    if (process.platform !== "linux") return 0;
    try {
      const fields = readFileSync(`/proc/${this.#process.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      return 0;
    }
  }
}

/** The beginning of the lines around a console entry. */
function logMark(readyMark: string): string {
  return `\u001e${readyMark} `;
}
