/** Owns the calls of the Stack view. */
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import { installedExtensions } from "../../../../src/postgres/extensions/installed.ts";
import { answered, type Call } from "../data/calls.ts";
import { configValues } from "./config.ts";
import { functionsOf, healthOf, liveOf, runJob } from "./live.ts";
import { migrationsOf } from "./migrations.ts";
import { policiesOf } from "./policies.ts";

export function stackCalls(start: DeveloperStart): Readonly<Record<string, Call>> {
  const { backend } = start;
  return answered({
    policies: () => policiesOf(start),
    migrations: () => migrationsOf(start),
    config: async () => configValues(backend.config),
    functions: async () => functionsOf(start),
    extensions: () => installedExtensions(backend.database),
    health: () => healthOf(start),
    live: () => liveOf(start),
    runJob: async ({ id }) => runJob(start, String(id)),
  });
}
