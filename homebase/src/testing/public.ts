/** What `homebase-stack/testing` offers: isolated Backends for an app's own tests. */
import type { Config } from "../config/config.ts";
import { createBackend as create, type DeepPartial } from "./backend.ts";
import { startTestCluster as start } from "./cluster.ts";
import type { TestBackend, TestBackendOptions, TestRun } from "./types.ts";

export type {
  LoggedEntry,
  SentMail,
  TestBackend,
  TestBackendOptions,
  TestClock,
  TestRun,
} from "./types.ts";

/**
 * Makes an isolated Backend from the project's migrations and seed. Several may run at once, in one process or many;
 * those of one test run share a Postgres when `startTestCluster` (or the global set-up of this package) ran before.
 */
export async function createBackend({ config, ...options }: TestBackendOptions = {}): Promise<TestBackend> {
  return create({ ...options, ...(config ? { config: config as DeepPartial<Config> } : {}) });
}

/** Starts the Postgres of a test run and makes this process and its children find it. */
export async function startTestCluster(projectFolder: string = process.cwd()): Promise<TestRun> {
  return start(projectFolder);
}
