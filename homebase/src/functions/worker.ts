/**
 * Owns one Deno process that serves one function: its start with permissions and environment, its limits,
 * its log lines, its end. A process of its own is the only isolation that holds: a worker thread that
 * exhausts its heap would end all of them (docs/compat/functions.md 10).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Log } from "../core/log.ts";
import type { FunctionDefinition } from "./catalog.ts";
import { Connections } from "./connections.ts";
import { denoExecutable } from "./deno.ts";
import { FunctionError } from "./errors.ts";
import { packageMap } from "./package-map.ts";
import type { SubstituteMap } from "./substitutes.ts";
import type { Watchdog } from "./watchdog.ts";
import { readEntries, type WorkerEntry } from "./worker-log.ts";

/** Limits of the hosted platform (docs/compat/functions.md 7). */
export interface WorkerLimits {
  memoryMegabytes: number;
  /** Active processor time since the oldest running request began: from here on it takes no new ones. */
  softCpuMilliseconds: number;
  /** The same: from here on it is ended. */
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
  /** A folder of this worker's own: its socket, its generated main module, its /tmp. Removed at the end. */
  folder: string;
  /** What the function sees. */
  environment: Record<string, string>;
  /** What Deno needs besides; hidden from the function. */
  runtime: Record<string, string>;
  /** Folders that the function's code may read. */
  readable: string[];
  limits: WorkerLimits;
  log: Log;
  /** Where its inspector listens, `host:port`: then no limit ends what a developer looks at. */
  inspect?: string | undefined;
  /** The import map in the place of its own, where modules of it cannot be loaded. */
  substitutes?: SubstituteMap | undefined;
  /** Serves one request and ends with it. */
  oneshot?: boolean;
  /** Kills it should the stack be killed while it loops. */
  watchdog?: Watchdog;
  /** Called once when it has used so much that another worker should take new requests. */
  spent?(): void;
}

// The source, or in the package what is built from it.
const PRELUDE = pathToFileURL(
  join(import.meta.dirname, "runtime", `prelude${extname(import.meta.url)}`),
).href;
const CPU_CHECK_MS = 100;
/** Linux counts processor time of a process in hundredths of a second. */
const TICK_MS = 10;
/** How V8 ends a process whose heap is full: by a trap or an abort, or a shell's code for them. */
const ABORTED = new Set<NodeJS.Signals | number>(["SIGTRAP", "SIGABRT", "SIGILL", 133, 134]);
const BOOT_LINES = 30;

/** See the file's head. */
export class Worker {
  readonly socket: string;
  readonly connections: Connections;
  /** Resolves when it serves; rejects with BOOT_ERROR when it never will. */
  readonly ready: Promise<void>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly startedAt = performance.now();
  lastUsed = performance.now();
  /** Why it was killed, when it was: the answer for the requests that die with it. */
  killedFor: FunctionError | undefined;

  readonly #process: ChildProcess;
  readonly #options: WorkerOptions;
  /** The running requests, oldest first: processor time in milliseconds when each began. */
  readonly #running = new Set<{ cpu: number }>();
  /** Processor time when it was last looked at. */
  #lastCpu = 0;
  #spent = false;
  #watch: NodeJS.Timeout | undefined;
  #ended = false;
  /** To go. */
  #told = false;

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
      this.#process.once("close", (code, signal) => {
        this.#ended = true;
        if (ABORTED.has(signal ?? code ?? 0)) this.killedFor ??= new FunctionError("WORKER_LIMIT", "memory");
        clearInterval(this.#watch);
        this.connections.destroy();
        rmSync(options.folder, { recursive: true, force: true });
        if (pid !== undefined) options.watchdog?.forget(pid);
        resolve();
      });
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

  /** Counts a request in; the returned function counts it out. While any runs, limits are watched. */
  enter(): () => void {
    this.lastUsed = performance.now();
    if (this.#watch === undefined && this.#options.inspect === undefined) {
      this.#lastCpu = this.#cpu();
      this.#watch = setInterval(() => this.#checkLimits(), CPU_CHECK_MS);
      this.#watch.unref();
    }
    // Looking for each request would cost more than many a request does.
    const one = { cpu: this.#lastCpu };
    this.#running.add(one);
    return () => {
      if (!this.#running.delete(one)) return;
      this.lastUsed = performance.now();
      if (this.#running.size === 0 && this.#options.oneshot) void this.retire();
    };
  }

  /**
   * Ends it; background work may finish first.
   * @param patience how long, in milliseconds; without it what is left of its life.
   */
  async retire(patience = this.#left): Promise<void> {
    if (this.#ended) return;
    if (!this.#told) this.#process.kill("SIGTERM");
    this.#told = true;
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
    // Loaded before the function's own module, which is thereby the main one (`import.meta.main`); the event comes
    // when that has been evaluated, and the import then gives the same module again.
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
    // If Homebase is killed while a function loops, the function gets no message: the limit ends it.
    const script = 'ulimit -t "$0" 2>/dev/null; exec "$@"';
    const seconds = String(Math.ceil(limits.wallClockMilliseconds / 1000));
    return spawn("/bin/sh", ["-c", script, seconds, denoExecutable(), ...args], {
      cwd: dirname(definition.entry),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      env: {
        NO_COLOR: "1",
        DENO_NO_UPDATE_CHECK: "1",
        // Neither one above the function nor one beside it, which has become an import map.
        DENO_NO_PACKAGE_JSON: "1",
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
    const told = ({ text, level, request }: WorkerEntry) => {
      if (text === mark) return resolve();
      if (words.length < BOOT_LINES) words.push(text);
      log[level](text, { function: definition.name, ...(request === undefined ? {} : { request }) });
    };
    if (child.stdout) readEntries(child.stdout, logMark(mark), "info", told);
    if (child.stderr) readEntries(child.stderr, logMark(mark), "warn", told);
    child.once("error", (error) => fail(error.message));
    child.once("close", () => fail(""));
    return promise.finally(() => clearTimeout(impatience));
  }

  #checkLimits(): void {
    const { limits, spent } = this.#options;
    const [oldest] = this.#running;
    if (!oldest) {
      // Not at the end of the last request: the next one is often there at once.
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

  /** Processor time used so far in milliseconds; 0 where the system does not tell. */
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

/** What begins the lines around an entry of the function's console. */
function logMark(readyMark: string): string {
  return `\u001e${readyMark} `;
}
