/**
 * The exports of `homebase-stack/project`: a project's `supabase/` folder as the stack reads it, without
 * starting anything.
 */
import { readFileSync } from "node:fs";
import { loadConfig } from "../config/config.ts";
import { parseDotenv } from "../config/dotenv.ts";
import { listFunctions } from "../functions/project-functions.ts";
import { claimStateFolder } from "../postgres/cluster/state-folder.ts";

/** A project, as its files describe it. */
export interface Project {
  /** The folder with `supabase/`. Absolute. */
  projectFolder: string;
  /** `supabase/` itself. Absolute. */
  supabaseFolder: string;
  /** Ports of config.toml, of the API, the database and the inbox. */
  ports: { api: number; database: number; inbox: number };
  publishableKey: string;
  /** Names of the served functions. */
  functions: string[];
  /** Buckets of config.toml, with the folder whose files are uploaded into each. */
  buckets: { name: string; objectsFolder: string | undefined }[];
  /** Variables for `env()`: the process environment takes precedence over dotenv files. */
  environment: Readonly<Record<string, string>>;
  /** Warnings for the developer: unknown keys, unresolved `env()`. */
  warnings: readonly string[];
}

/**
 * Reads the project found from a folder upwards.
 * @throws Error that names file and key, when config.toml cannot be used.
 */
export function readProject(from: string = process.cwd()): Project {
  const config = loadConfig({ from });
  return {
    projectFolder: config.projectFolder,
    supabaseFolder: config.supabaseFolder,
    ports: { api: config.api.port, database: config.db.port, inbox: config.local_smtp.port },
    publishableKey: config.auth.publishable_key,
    functions: listFunctions(config),
    buckets: Object.entries(config.storage.buckets).map(([name, bucket]) => ({
      name,
      objectsFolder: bucket.objects_path,
    })),
    environment: config.environment,
    warnings: config.warnings,
  };
}

/** The variables of a dotenv file, parsed as the Supabase CLI does. */
export function readDotenv(file: string): Record<string, string> {
  return parseDotenv(readFileSync(file, "utf8"));
}

/**
 * Returns the project's folder for data, `.homebase`, made and signed if it is missing.
 * @throws Error when there is one that was not made by this user on this machine.
 */
export function makeDataFolder(projectFolder: string): string {
  return claimStateFolder(projectFolder);
}
