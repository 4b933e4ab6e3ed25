/** What `homebase-stack/stack` offers: the developer's own stack, started from a program instead of the command line. */
import { DataLock } from "../backend/data-lock.ts";
import { DeveloperStack } from "../backend/developer-stack.ts";
import { moveConfigPorts } from "../backend/port-choice.ts";
import { loadConfig } from "../config/config.ts";
import { createLog } from "../core/log.ts";

/** What to start, and how. */
export interface StackOptions {
  /** Where to look for `supabase/`, upwards. Defaults to the working directory. */
  projectFolder?: string;
  /** Added to every port of config.toml. */
  portOffset?: number;
  /** Lets requests without an API key through as anonymous. */
  keyless?: boolean;
  /** Told in a few words what is being done. */
  onProgress?: (step: string) => void;
  /** Told of warnings and errors while it runs, as one line each. */
  onTrouble?: (line: string) => void;
}

/** What applying migrations did. */
export interface Migrated {
  applied: string[];
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
  /** The inbox, where config.toml does not switch it off. */
  inboxUrl: string | undefined;
  /** What the start itself did to the database. */
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
 * Starts the stack of a project in this process; resolves when every service answers.
 * @throws Error with a message for people: a port is taken, another stack runs on this data, config.toml cannot be
 * used. A migration that fails is in `migrated.failed`: the stack serves what could be applied.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const config = loadConfig({ from: options.projectFolder ?? process.cwd() });
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
    migrate: async () => migrated(await stack.migrate()),
    reset: () => stack.reset(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function migrated({ applied, seeded, failed }: DeveloperStack["migrated"]): Migrated {
  return { applied, seeded, ...(failed ? { failed: failed.describe() } : {}) };
}
