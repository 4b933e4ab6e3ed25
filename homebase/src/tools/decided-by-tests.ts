/** Owns what the project's tests decide and what they cannot, as its files say. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import {
  type Coverage,
  coverageOf,
  readRun,
  readUntested,
  type Untested,
  UntestedError,
} from "../explain/index.ts";

/** The project's list of what no test can decide or notice. @throws UntestedError for one that cannot be read. */
export function untestedOf({ supabaseFolder }: Config): Untested {
  const file = join(supabaseFolder, "untested.txt");
  return named(() => readUntested(existsSync(file) ? readFileSync(file, "utf8") : ""));
}

/** What tests with today's migrations and seed have decided. @throws UntestedError, also where none has counted. */
export function projectCoverage(config: Config): Coverage {
  const run = readRun(config);
  if (!run) {
    throw new UntestedError(
      "No test has counted with today's migrations and seed. Run tests with HOMEBASE_COVERAGE=1, e.g.: HOMEBASE_COVERAGE=1 homebase test db",
    );
  }
  const untested = untestedOf(config);
  return named(() => coverageOf(run, untested));
}

function named<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UntestedError
      ? new UntestedError(`supabase/untested.txt: ${error.message}`)
      : error;
  }
}
