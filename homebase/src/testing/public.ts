/** The exports of `homebase-stack/testing`: isolated Backends for an app's own tests. */
import { resolve } from "node:path";
import { wings } from "../../wings/index.ts";
import type { Config } from "../config/config.ts";
import { createBackend as create, type DeepPartial } from "./isolated-backend.ts";
import { startTestCluster as start } from "./shared-cluster.ts";
import type { TestBackend, TestBackendOptions, TestRun } from "./types.ts";

export { type SchemaDifferences, schemaDifferences } from "./schema-drift.ts";
export type {
  LoggedEntry,
  SentMail,
  TestBackend,
  TestBackendOptions,
  TestClock,
  TestRun,
} from "./types.ts";

/**
 * Creates an isolated Backend from the project's migrations and seed. Several may run concurrently, in one
 * process or many; those of one test run share a Postgres if `startTestCluster` (or this package's global
 * setup) ran before.
 */
export async function createBackend({
  config,
  projectFolder,
  ...options
}: TestBackendOptions = {}): Promise<TestBackend> {
  return create({
    ...options,
    wings,
    ...(projectFolder === undefined ? {} : { projectFolder: resolve(projectFolder) }),
    ...(config ? { config: config as DeepPartial<Config> } : {}),
  });
}

/** Starts the Postgres of a test run and publishes it to this process and its children. */
export async function startTestCluster(projectFolder: string = process.cwd()): Promise<TestRun> {
  return start(resolve(projectFolder));
}
