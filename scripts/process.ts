/** Owns running other programs from the project's scripts. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";

/** The repository's root folder. Absolute. */
export const root = join(import.meta.dirname, "..");

/** The Node that runs this script: the project's own. */
export const node = process.execPath;

/** Flags for every start of this project's TypeScript. */
export const nodeFlags = ["--disable-warning=ExperimentalWarning"];

/** Answers `--help`. */
export function exitWithHelp(help: string): never {
  console.log(help);
  process.exit(0);
}

/** Path of an executable that npm installed. */
export function binary(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

const PARENT_CHECK_MS = 300;
const END_PATIENCE_MS = 10_000;
/** Running programs. */
const children = new Set<ChildProcess>();

/**
 * Calls `end` once when this script must exit: after a signal, or when its parent process is gone. By default
 * stops the programs that it runs, then the script.
 */
export function endWithParent(end: () => void = endChildren): void {
  const parent = process.ppid;
  let ending = false;
  const once = () => {
    if (ending) return;
    ending = true;
    clearInterval(watch);
    end();
  };
  const watch = setInterval(() => {
    if (process.ppid !== parent) once();
  }, PARENT_CHECK_MS);
  watch.unref();
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, once);
}

function endChildren(): void {
  const all = [...children];
  for (const child of all) child.kill("SIGTERM");
  const exited = Promise.all(all.map((child) => new Promise((resolve) => child.once("exit", resolve))));
  const patience = setTimeout(() => {
    for (const child of all) child.kill("SIGKILL");
  }, END_PATIENCE_MS);
  void exited.then(() => {
    clearTimeout(patience);
    process.exit(143);
  });
}

/** Runs a program on this terminal. Resolves to its exit code. */
export function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: "inherit", ...options });
    children.add(child);
    child.on("close", () => children.delete(child));
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** Runs a program and returns its output. */
export function capture(
  program: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, ...options, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}
