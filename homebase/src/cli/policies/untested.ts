/** Owns finding the project's list of what no test can decide or notice. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { readUntested, type Untested, UntestedError } from "../../explain/index.ts";
import { CommandError } from "../terminal.ts";

/** @throws CommandError for a list that cannot be read. */
export function untestedOf({ supabaseFolder }: Config): Untested {
  const file = join(supabaseFolder, "untested.txt");
  try {
    return readUntested(existsSync(file) ? readFileSync(file, "utf8") : "");
  } catch (error) {
    throw error instanceof UntestedError
      ? new CommandError(`supabase/untested.txt: ${error.message}`)
      : error;
  }
}
