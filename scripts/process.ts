/** Owns running other programs from the project's scripts. */
import { type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";

/** The repository's root folder. Absolute. */
export const root = join(import.meta.dirname, "..");

/** The Node that runs this script: the project's own. */
export const node = process.execPath;

/** Flags that every start of our TypeScript wants. */
export const nodeFlags = ["--disable-warning=ExperimentalWarning"];

/** Path of a program that npm installed. */
export function binary(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

/** Runs a program on this terminal. Resolves to its exit code. */
export function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: "inherit", ...options });
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** Runs a program and gives back what it printed. */
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
