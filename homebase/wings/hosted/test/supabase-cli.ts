/** Owns running the Supabase CLI's program against a stand-in for hosted in tests. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Hosted } from "../index.ts";

/** The program's path; undefined where it is not installed. */
export const program = process.env.SUPABASE_CLI;
/** Why it is not. */
export const missing =
  process.env.SUPABASE_CLI_MISSING || "it is not installed: npm test -- integration installs it";

/** Runs it in a project's folder. Resolves to its output; rejects for an exit code other than 0. */
export async function runSupabase(hosted: Hosted, folder: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program ?? "", [...args, "--workdir", folder], {
    env: {
      ...process.env,
      ...hosted.supabaseEnvironment,
      SUPABASE_TELEMETRY_DISABLED: "1",
      DO_NOT_TRACK: "1",
    },
  });
  return stdout + stderr;
}
