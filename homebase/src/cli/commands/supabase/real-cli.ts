/** Owns finding the real Supabase CLI, never the link to Homebase, and running it. */
import { spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { constants as system } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { z } from "zod";

const NAME = "supabase";
const manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

/** Whether a path is the command that `homebase link-cli` makes, also after its package was removed. */
export function isLink(path: string): boolean {
  const target = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : "";
  return target.endsWith(join("bin", "supabase.mjs"));
}

/** The path of the real CLI: the one of the nearest `node_modules` from a folder upwards, or the first on PATH. */
export function findRealCli(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = ofPackage(join(folder, "node_modules", NAME));
    if (found !== undefined) return found;
    if (folder === dirname(folder)) break;
  }
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, NAME))
    .find((path) => isExecutable(path) && !isOwn(path));
}

function ofPackage(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const { bin } = manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  const path = typeof bin === "string" ? bin : bin[NAME];
  const found = path === undefined ? undefined : join(folder, path);
  // Versions 1 and 2 download their program when they are installed, which may not have happened.
  return found !== undefined && existsSync(found) ? found : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A link of any installed Homebase: handing a line to it would never end. */
function isOwn(path: string): boolean {
  const target = realpathSync(path);
  return basename(target) === "supabase.mjs" && existsSync(join(dirname(target), "homebase.mjs"));
}

/**
 * Runs it with this terminal, and ends this process as it ends.
 * @param otherwise variables for it, where the environment has none of that name
 */
export async function runRealCli(
  path: string,
  args: readonly string[],
  otherwise: Readonly<Record<string, string>>,
): Promise<never> {
  const script = /\.[cm]?js$/.test(path);
  const child = spawn(script ? process.execPath : path, script ? [path, ...args] : args, {
    stdio: "inherit",
    env: { ...otherwise, ...process.env },
  });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  // The terminal sends Ctrl+C to both.
  process.on("SIGINT", () => {});
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exit, signal) => resolve(exit ?? 128 + (signal ? system.signals[signal] : 0)));
  });
  process.exit(code);
}
