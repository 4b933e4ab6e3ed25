/**
 * The exports of `homebase-stack/stack`: the developer's own stack, started from a program instead of the
 * command line.
 */
import { wings } from "../../wings/index.ts";
import { loadConfig } from "../config/config.ts";
import { createLog } from "../core/log.ts";
import { DataLock } from "../developer/data-lock.ts";
import { DeveloperStack } from "../developer/developer-stack.ts";
import { moveConfigPorts } from "../developer/port-choice.ts";

/** Options of a start. */
export interface StackOptions {
  /** Where to search for `supabase/`, including parent folders. Defaults to the working directory. */
  projectFolder?: string;
  /** Added to every port of config.toml. */
  portOffset?: number;
  /** Lets requests without an API key through as anonymous. */
  keyless?: boolean;
  /** Called with short progress messages. */
  onProgress?: (step: string) => void;
  /** Called with warnings and errors while it runs, one line each. */
  onTrouble?: (line: string) => void;
}

/** The result of applying migrations. */
export interface Migrated {
  applied: string[];
  /** Files that were recorded in place of those that they replace, without running them. */
  replaced: string[];
  seeded: string[];
  /** Where and why a file failed. */
  failed?: string;
}

/** A running stack. */
export interface Stack {
  /** The API's address. */
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Legacy JWT keys. */
  anonKey: string;
  serviceRoleKey: string;
  /** For `psql`, an ORM or a driver, as role postgres. */
  databaseUrl: string;
  /** The inbox, unless config.toml disables it. */
  inboxUrl: string | undefined;
  /** What the start itself changed in the database. */
  migrated: Migrated;
  /** Applies pending migrations in place. */
  migrate(): Promise<Migrated>;
  /** Rebuilds database and files from the project's files. */
  reset(): Promise<void>;
  /** Stops everything; data stays. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the stack of a project in this process; resolves when every service is ready. A failing migration is
 * in `migrated.failed`: the stack serves what could be applied.
 * @throws Error with a readable message: a port is in use, another stack uses this data, config.toml is
 * invalid.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const config = loadConfig({ named: options.projectFolder });
  moveConfigPorts(config, options.portOffset ?? 0);
  const lock = await DataLock.take(config.projectFolder, { command: "a program's stack" });
  const log = createLog("homebase", (entry) => {
    if (entry.level !== "warn" && entry.level !== "error") return;
    options.onTrouble?.(`${entry.service}: ${entry.message}`);
  });
  const stack = await DeveloperStack.start({
    config,
    log,
    lock,
    wings,
    keylessAllowed: options.keyless ?? false,
    onProgress: options.onProgress,
  }).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const stop = async () => {
    await stack.stop();
    lock.release();
  };
  const { keys, url } = stack.backend;
  return {
    url,
    publishableKey: keys.publishableKey,
    secretKey: keys.secretKey,
    anonKey: keys.anonKey,
    serviceRoleKey: keys.serviceRoleKey,
    databaseUrl: `postgresql://postgres:postgres@127.0.0.1:${config.db.port}/postgres`,
    inboxUrl: config.local_smtp.enabled ? `http://127.0.0.1:${config.local_smtp.port}` : undefined,
    migrated: migrated(stack.migrated),
    migrate: async () => migrated(await stack.migrate({ all: true })),
    reset: () => stack.reset(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function migrated({ failed, ...done }: DeveloperStack["migrated"]): Migrated {
  return { ...done, ...(failed ? { failed: failed.describe() } : {}) };
}
