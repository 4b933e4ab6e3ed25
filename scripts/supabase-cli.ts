/**
 * Owns running the Supabase CLI. npm downloads it on first use: only deploys and types need its 135 MB, so an
 * install does not wait for it.
 */
import { capture, run } from "./process.ts";

/** Exact, so that a new release cannot change a deploy. */
const VERSION = "3.1.0";

const quiet = { SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };

function npmExec(args: readonly string[]): string[] {
  return ["exec", "--silent", "--yes", `--package=supabase@${VERSION}`, "--", "supabase", ...args];
}

/** Runs the CLI on this terminal. Resolves to its exit code. */
export function runSupabase(args: readonly string[]): Promise<number> {
  return run("npm", npmExec(args), { env: { ...process.env, ...quiet } });
}

/** Runs the CLI and returns its output. */
export function captureSupabase(args: readonly string[]): ReturnType<typeof capture> {
  return capture("npm", npmExec(args), { env: { ...process.env, ...quiet } });
}
