/**
 * Owns the Supabase CLI: installing the pinned one, and running it. It is no dependency of the project: only
 * its own tests, `npm run types` and `npm run dev -- --backend supabase` need its 135 MB. It is stored in the
 * user's cache folder, so every checkout shares it and an install of the dependencies does not remove it.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { capture, run } from "./process.ts";

/** Exact, so that a new release cannot change a run. */
export const VERSION = "3.1.0";
/** Its package with the schema of config.toml, for the test that every key is known (`homebase/test/upstream`). */
export const CONFIG = "@supabase/config@0.9.0";

const quiet = { SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };

/** Path of the CLI, from SUPABASE_CLI or the cache folder; undefined when it is not installed. */
export function findSupabase(): string | undefined {
  const given = process.env.SUPABASE_CLI;
  if (given) return given;
  const path = programIn(cachedFolder());
  return existsSync(path) ? path : undefined;
}

/**
 * Path of the CLI, after npm has installed it if necessary.
 * @throws Error with npm's message, e.g. without a network
 */
export async function ensureSupabase(): Promise<string> {
  const present = findSupabase();
  if (present) return present;
  console.log(`Installing the Supabase CLI ${VERSION} (once, 135 MB) ...`);
  const folder = cachedFolder();
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    await install(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    // Another run may have finished first.
    if (!findSupabase()) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return programIn(folder);
}

async function install(folder: string): Promise<void> {
  // Without one, npm installs into the next folder above that has one.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const quickly = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--loglevel=error"];
  // The schema needs no library that the functions beside it are written with (61 MB).
  const packages = ["--omit=peer", `supabase@${VERSION}`, CONFIG];
  const installed = await capture(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...quickly, ...packages],
    { cwd: folder },
  );
  if (installed.code !== 0) {
    throw new Error(`npm could not install the Supabase CLI: ${reasonIn(installed.stderr)}`);
  }
  // Its build for this platform is an optional package, which npm leaves out silently.
  const started = await capture(programIn(folder), ["--version"], { env: { ...process.env, ...quiet } });
  if (started.stdout.trim() !== VERSION) {
    throw new Error(
      `The Supabase CLI does not start on ${process.platform}-${process.arch}: ${reasonIn(started.stderr)}`,
    );
  }
}

/** Runs the CLI on this terminal. Resolves to its exit code. */
export async function runSupabase(args: readonly string[]): Promise<number> {
  return run(await ensureSupabase(), args, { env: { ...process.env, ...quiet } });
}

/** Runs the CLI and returns its output. */
export async function captureSupabase(args: readonly string[]): ReturnType<typeof capture> {
  return capture(await ensureSupabase(), args, { env: { ...process.env, ...quiet } });
}

function cachedFolder(): string {
  const own = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ...own);
  return join(base, "nosh", `supabase-cli-${VERSION}-${CONFIG.slice(CONFIG.lastIndexOf("@") + 1)}`);
}

function programIn(folder: string): string {
  return join(folder, "node_modules", ".bin", "supabase");
}

/** The line of a program's output that says why it failed. */
function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (error|warn)/, "").trim());
  const useful = lines.filter((line) => line !== "" && !/^(code|errno|type|syscall|Unknown) /.test(line));
  return (
    useful.find((line) => /error|failed|not found|no match/i.test(line)) ?? useful[0] ?? "no reason given"
  );
}
