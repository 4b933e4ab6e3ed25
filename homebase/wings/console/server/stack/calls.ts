/** Owns the calls of the Stack view. */
import { installedExtensions } from "../../../../src/postgres/extensions/installed.ts";
import { type Call, checked } from "../call.ts";
import { snapshotActAsk } from "../questions.ts";
import { configValues } from "./config.ts";
import { functionsOf, healthOf, liveOf, runJob } from "./live.ts";
import { migrationsOf } from "./migrations.ts";
import { policiesOf } from "./policies.ts";

export const STACK_CALLS = {
  policies: ({ start }) => policiesOf(start),
  migrations: ({ start }) => migrationsOf(start),
  config: ({ start }) => configValues(start.backend.config),
  functions: ({ start }) => functionsOf(start),
  extensions: ({ start }) => installedExtensions(start.backend.database),
  health: ({ start }) => healthOf(start),
  live: ({ start }) => liveOf(start),
  snapshots: ({ states }) => states.read(),
  snapshotAct: ({ states }, ask, signal) => states.act(checked(snapshotActAsk, ask), signal),
  runJob: ({ start }, { id }) => runJob(start, String(id)),
} satisfies Readonly<Record<string, Call>>;
