/** Owns temporary projects and running the `homebase` command on them as a developer does. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SYSTEM_FOLDER } from "../../src/core/user-folders.ts";
import { serverFolder, serverUser } from "../../src/postgres/cluster/system-user.ts";
import { COMMAND } from "../command.ts";
import { leasePorts } from "../port-lease.ts";

const PATIENCE_MS = 60_000;

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** A project folder; only its owner can enter its parent, as with many home folders. */
export class Project {
  readonly folder: string;
  readonly offset: number;
  readonly url: string;
  readonly database: string;
  readonly key = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
  readonly secret = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";
  output = "";
  /** The command's path. */
  command = COMMAND;
  /** The words that start the stack. */
  starts = ["start"];
  /** Additional environment variables of the commands. */
  environment: Record<string, string> = {};
  #process: ChildProcess | undefined;

  /** @param folder of the project; a new one in a folder that only its owner can enter by default */
  constructor(files: Record<string, string> = {}, folder?: string, offset = leasePorts()) {
    this.folder = folder ?? join(mkdtempSync(join(tmpdir(), "homebase-cli-")), "app");
    this.offset = offset;
    this.url = `http://127.0.0.1:${54_321 + offset}`;
    this.database = `postgresql://postgres:postgres@127.0.0.1:${54_322 + offset}/postgres`;
    if (folder === undefined) this.write("config.toml", 'project_id = "cli"\n');
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  /** The same project with its own processes and output. */
  twin(): Project {
    return new Project({}, this.folder, this.offset);
  }

  /** Writes a file below `supabase/`. */
  write(path: string, text: string): void {
    const file = join(this.folder, "supabase", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs a command until it exits. */
  run(...args: string[]): Promise<Run> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, this.#args(args), {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...this.environment },
      });
      let stdout = "";
      let stderr = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.on("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
    });
  }

  /** Starts the stack; resolves when it says that it is ready. */
  start(...options: string[]): Promise<void> {
    return this.startUntil(/Homebase is ready/, ...options);
  }

  /** Starts the stack; resolves when it has printed a text. */
  async startUntil(pattern: RegExp, ...options: string[]): Promise<void> {
    this.#spawn(options);
    await this.says(pattern);
  }

  /** Starts the stack; resolves when it is ready or has exited. */
  async tryStart(...options: string[]): Promise<{ ready: boolean; output: string; code: number | null }> {
    const child = this.#spawn(options);
    const closed = new Promise((resolve) => child.once("close", resolve));
    const ready = this.says(/Homebase is ready/).then(
      () => true,
      () => false,
    );
    await Promise.race([ready, closed]);
    return { ready: await ready, output: this.output, code: child.exitCode };
  }

  /** Stops the stack and waits for its end. By Ctrl+C, which takes no process of its own, where this started it. */
  async stop(): Promise<void> {
    if (this.#process?.exitCode === null && this.#process.signalCode === null) this.#process.kill("SIGINT");
    else if (existsSync(join(this.folder, ".homebase", "state.json"))) await this.run("stop");
    await this.ended();
  }

  #spawn(options: string[]): ChildProcess {
    this.output = "";
    const child = spawn(process.execPath, this.#args([...this.starts, ...options]), {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.environment },
    });
    this.#process = child;
    const collect = (text: string) => {
      this.output += text;
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    return child;
  }

  /** Resolves when the running stack has printed a text. */
  async says(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!pattern.test(this.output)) {
      const over = (this.#process?.exitCode ?? this.#process?.signalCode ?? null) !== null;
      if (over || Date.now() > deadline) {
        throw new Error(`The stack did not say ${pattern}. It said:\n${this.output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The stack's exit code. */
  get exitCode(): number | null {
    return this.#process?.exitCode ?? null;
  }

  /** Waits until the stack exits by itself. */
  async ended(): Promise<void> {
    if (this.#process?.exitCode === null && this.#process.signalCode === null) {
      await new Promise((resolve) => this.#process?.once("exit", resolve));
    }
  }

  /** Simulates a power failure: kills every process of the tree at once. */
  async killTree(): Promise<void> {
    if (this.#process?.exitCode !== null || this.#process.signalCode !== null) return;
    for (const pid of [...descendants(this.pid), this.pid]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // Already exited.
      }
    }
    await this.ended();
  }

  rest(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}/rest/v1/${path}`, {
      ...init,
      headers: { apikey: this.secret, "content-type": "application/json", ...init.headers },
    });
  }

  async remove(): Promise<void> {
    await this.stop();
    // First, because its place follows from who can enter the project's folder.
    removeServerFolder(this.folder);
    rmSync(join(this.folder, ".."), { recursive: true, force: true });
  }

  #args(args: string[]): string[] {
    const options = ["--workdir", this.folder, "--port-offset", String(this.offset)];
    return ["--disable-warning=ExperimentalWarning", this.command, ...args, ...options];
  }
}

/**
 * Removes Postgres's files of a project outside its folder, as used for root
 * (homebase/src/postgres/cluster/system-user.ts).
 */
export function removeServerFolder(projectFolder: string): void {
  const folder = serverFolder(projectFolder, serverUser());
  if (dirname(folder) === SYSTEM_FOLDER) rmSync(folder, { recursive: true, force: true });
}

/** All descendants of a process, deepest last. Linux only. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 2);
      if (state === "Z") continue; // Ended; only not yet reaped by who inherited it.
      children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)]);
    } catch {
      // Gone meanwhile.
    }
  }
  const below = (pid: number): number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root);
}
