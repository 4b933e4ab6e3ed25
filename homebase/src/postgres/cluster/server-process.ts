/**
 * Owns the Postgres process: creating its data folder, starting it so that it ends with this process, and
 * detecting when it accepts connections.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { lchownSync, readFileSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { errorBoundary } from "../../core/error-boundary.ts";
import type { Log } from "../../core/log.ts";
import { isAlive } from "../../core/process-alive.ts";
import { UserError } from "../../core/user-error.ts";
import { SUPERUSER } from "../guarded-logins.ts";
import type { PostgresBinaries } from "./binaries.ts";
import {
  hasLogins,
  loginStatements,
  noteLogins,
  writeAccessRules,
  writePasswordFile,
} from "./login-access.ts";
import { type ServerPlace, type ServerPlatform, socketPlatform } from "./platform.ts";
import type { ServerUser } from "./system-user.ts";

export interface ClusterOptions {
  /** The project: its `.homebase/` has the data unless the server's user cannot access it. */
  projectFolder: string;
  /** TCP port on 127.0.0.1; undefined for Unix socket only. */
  port: number | undefined;
  /** Whether fsync is on. A temporary cluster is not durable, and is deleted on stop. */
  durable: boolean;
  /** Extra server settings, e.g. from `[db.settings]`. Those that the stack relies on are not among them. */
  settings?: Settings;
  /** How the server is started and reached. Only tests name another way than the default. */
  platform?: ServerPlatform;
  log?: Log;
  /** Called when a new data folder was created, before the server starts. */
  onMade?: () => void;
  /** Called once the first child process runs: work done here overlaps with the start. */
  meanwhile?: () => void;
}

/** Postgres could not be started; the message has the server's last output. */
export class ClusterError extends UserError {
  /** The TCP port, if the start failed because it is already in use. */
  readonly port: number | undefined;
  constructor(message: string, port?: number) {
    super(message);
    this.port = port;
  }
}

const AUTO_CONF = "postgresql.auto.conf";
export const PID_FILE = "postmaster.pid";
const START_TIMEOUT_MS = 60_000;

export function initdb(
  binaries: PostgresBinaries,
  folder: string,
  user: ServerUser | undefined,
): Promise<void> {
  const args = ["-D", folder, "-U", SUPERUSER, "-E", "UTF8", "--no-sync", "--no-instructions"];
  // The C locale is the fastest for initdb; databases get hosted's collation from their template.
  args.push("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8");
  // Of a file that no server reads (access.ts).
  args.push("--auth-local=reject", "--auth-host=reject");
  return run(binaries.initdb, args, user).catch((error: Error) => {
    const [full] = /.*No space left on device.*/.exec(error.message) ?? [];
    if (full !== undefined) throw Object.assign(new Error(full), { code: "ENOSPC" });
    throw new ClusterError(`initdb failed: ${error.message}`);
  });
}

/** Writes the files of a data folder to the disk, one after the other, also while its server runs. */
export function syncDataFolder(
  binaries: PostgresBinaries,
  folder: string,
  user: ServerUser | undefined,
): Promise<void> {
  return run(binaries.initdb, ["--sync-only", "-D", folder], user);
}

/** Writes everything on the data folder's file system to the disk, at once. Linux only. */
export function syncFileSystem(
  binaries: PostgresBinaries,
  folder: string,
  user: ServerUser | undefined,
): Promise<void> {
  return run(binaries.initdb, ["--sync-only", "--sync-method=syncfs", "-D", folder], user);
}

type Settings = Record<string, string | number | boolean>;

/** Settings of hosted that an app can notice, and settings for a small machine (docs/compat/platform.md 1.6). */
const DEFAULTS: Settings = {
  max_replication_slots: 100,
  max_slot_wal_keep_size: "4GB",
  max_connections: 200,
  shared_buffers: "64MB",
  TimeZone: "UTC",
  log_timezone: "UTC",
  extra_float_digits: 0,
  default_text_search_config: "pg_catalog.english",
  statement_timeout: "2min",
  max_worker_processes: 4,
  max_parallel_workers: 2,
};

/**
 * Settings that name a program, a library or a file. They stand on the command line, which outranks every file in
 * the data folder.
 */
const GUARDED: Settings = {
  config_file: devNull,
  ident_file: devNull,
  shared_preload_libraries: "pg_stat_statements",
  session_preload_libraries: "",
  local_preload_libraries: "",
  dynamic_library_path: "$libdir",
  jit_provider: "llvmjit",
  archive_mode: "off",
  archive_command: "",
  archive_library: "",
  archive_cleanup_command: "",
  recovery_end_command: "",
  restore_command: "",
  primary_conninfo: "",
  ssl: "off",
  ssl_passphrase_command: "",
  logging_collector: "off",
  log_destination: "stderr",
};

export function platformOf({ platform = socketPlatform }: ClusterOptions): ServerPlatform {
  return platform;
}

/** What the stack itself relies on. */
function ownSettings({ options, socketFolder }: Server, hbaFile: string): Settings {
  return {
    ...GUARDED,
    hba_file: hbaFile,
    external_pid_file: join(socketFolder, "pid"),
    wal_level: "logical",
    max_logical_replication_workers: 0,
    password_encryption: "scram-sha-256",
    ...platformOf(options).listening(socketFolder, options.port),
    port: options.port ?? 5432,
    log_min_messages: "warning",
    log_line_prefix: "",
    // The developer's stack restarts it itself, and then repairs the effects of the crash.
    restart_after_crash: options.durable ? "off" : "on",
    ...(options.durable
      ? {}
      : {
          // Commits stay synchronous: row changes are read from the log only as far as it is flushed.
          fsync: "off",
          full_page_writes: "off",
          // The log may be in memory, too (temporary-folder.ts).
          min_wal_size: "32MB",
          max_wal_size: "256MB",
        }),
  };
}

/** The server's settings as arguments: of a setting that is named twice, Postgres takes the last. */
export function serverSettings(server: Server, hbaFile: string): string[] {
  const { durable, settings } = server.options;
  return [{ ...DEFAULTS, max_wal_senders: durable ? 10 : 50 }, settings ?? {}, ownSettings(server, hbaFile)]
    .flatMap((group) => Object.entries(group))
    .flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Options of a server process. */
export interface Server extends ServerPlace {
  binaries: PostgresBinaries;
  options: ClusterOptions;
  /** The cluster's secret (access.ts). */
  secret: string;
  log: Log;
}

/** The server's message when its TCP port is in use. */
const PORT_TAKEN = /could not (bind IPv[46] address|create any TCP\/IP sockets)/;
/** Children of a killed server exit on their own after a moment; until then its memory is in use. */
const LINGERING = /pre-existing shared memory block|is already in use|lock file .* already exists/;
const LAUNCH_ATTEMPTS = 50;

export async function launch(server: Server): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(server);
    } catch (error) {
      const lingering = error instanceof ClusterError && LINGERING.test(error.message);
      if (!lingering || attempt === LAUNCH_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function launchOnce(server: Server): Promise<ChildProcess> {
  const { binaries, folder, socketFolder, options, secret, log } = server;
  const platform = platformOf(options);
  // The pid file of a killed server also says "ready": only another process's file counts.
  const stale = readPidFile(folder)?.slice(0, 3).join();
  const rules = writeAccessRules(socketFolder, platform.rules);
  writePasswordFile(server, secret);
  const args = ["-D", folder, ...serverSettings(server, rules)];
  if (!hasLogins(folder, secret)) await setLogins(server, args);
  const child = platform.spawn(server, binaries.postgres, args, {
    stdio: ["pipe", "ignore", "pipe"],
    cwd: "/",
    // A separate process group: this process handles Ctrl+C in a terminal, not Postgres.
    detached: true,
    // No home: connections that the server makes look there for passwords, services, certificates and keys.
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", TZ: "UTC", LANG: "C", HOME: devNull },
  });
  child.stdin?.on("error", () => {});
  const lastWords: string[] = [];
  child.stderr?.setEncoding("utf8");
  child.stderr?.on(
    "data",
    errorBoundary(log, "the output of Postgres", (text: string) => {
      for (const line of text.split("\n").filter(Boolean)) {
        lastWords.push(line);
        if (lastWords.length > 20) lastWords.shift();
        log.debug(line);
      }
    }),
  );
  let spawnFailure: Error | undefined;
  child.on("error", (error) => {
    spawnFailure = error;
  });
  await accepting(child, folder, stale, lastWords).catch((error: unknown) => {
    if (spawnFailure) throw new ClusterError(`Postgres could not be started: ${spawnFailure.message}`);
    throw lastWords.some((line) => PORT_TAKEN.test(line)) && options.port !== undefined
      ? new ClusterError((error as Error).message, options.port)
      : error;
  });
  return child;
}

/**
 * Sets the logins by a server for these statements alone, which listens nowhere: whoever can reach a listening one would get
 * in by a password that is not this cluster's.
 */
async function setLogins({ binaries, folder, user, secret }: Server, args: readonly string[]): Promise<void> {
  const single = ["--single", "-j", ...args, "-c", "exit_on_error=on", "template1"];
  await run(binaries.postgres, single, user, loginStatements(secret)).catch((error: Error) => {
    throw new ClusterError(`The logins of Postgres could not be set:\n  ${error.message}`);
  });
  noteLogins(folder, secret);
}

/** Resolves when the server's pid file says that it accepts connections. */
async function accepting(
  child: ChildProcess,
  folder: string,
  stale: string | undefined,
  lastWords: string[],
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      // Its last output may not have arrived yet.
      if (!child.stderr?.closed) await new Promise((resolve) => child.stderr?.once("close", resolve));
      throw new ClusterError(`Postgres did not start:\n  ${lastWords.join("\n  ")}`);
    }
    // Line 8 of postmaster.pid is the state, in the Postgres source "ready   " when it accepts connections.
    const lines = readPidFile(folder);
    if (lines?.[7]?.startsWith("ready") && lines.slice(0, 3).join() !== stale) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new ClusterError(
    `Postgres was not ready after ${START_TIMEOUT_MS / 1000} s:\n  ${lastWords.join("\n  ")}`,
  );
}

/**
 * Disables fsync in a new cluster. In the file, not on the command line: `seal` must be able to enable it
 * while the server runs.
 */
export function unseal(folder: string, user: ServerUser | undefined): void {
  const file = join(folder, AUTO_CONF);
  writeFileSync(file, "fsync = off\nfull_page_writes = off\n");
  if (user) lchownSync(file, user.uid, user.gid);
}

/** Whether a cluster still runs without fsync, as created. Without the file, fsync is on. */
export function unsealed(folder: string): boolean {
  try {
    return /^fsync\s*=\s*'?off/m.test(readFileSync(join(folder, AUTO_CONF), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The lines of the pid file; undefined without one. */
export function readPidFile(folder: string): string[] | undefined {
  try {
    return readFileSync(join(folder, PID_FILE), "utf8").split("\n");
  } catch {
    return undefined;
  }
}

/** The server's process id, if the pid file's process really is this folder's Postgres. */
export function postmasterPid(folder: string): number | undefined {
  const lines = readPidFile(folder);
  const pid = Number(lines?.[0]);
  if (!Number.isInteger(pid) || pid <= 0 || lines?.[1] !== folder) return undefined;
  if (process.platform !== "linux") return pid;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export async function gone(pid: number, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`Process ${pid} did not end.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Runs a program with an input until it exits; rejects with its stderr when it fails. */
export function run(program: string, args: readonly string[], user?: ServerUser, input = ""): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: "/",
      stdio: ["pipe", "ignore", "pipe"],
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin", TZ: "UTC", LANG: "C" },
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    });
    // What it does not read is lost with it: its exit code says that it failed.
    child.stdin.on("error", () => {}).end(input);
    let words = "";
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      words += text;
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(words.trim() || `exit code ${code}`)),
    );
  });
}
