/** Owns the test projects of Vitest and their settings. */
import { defineConfig } from "vitest/config";
import { findSupabase } from "./scripts/supabase-cli.ts";
import { ownSettings, targetOf } from "./tests/target/target.ts";

const target = targetOf();
/** Against a target that stands, these files are left out, by name and with the reason. */
const leftOut = target ? Object.keys(ownSettings).map((name) => `tests/integration/${name}`) : [];
if (target && process.env.VITEST_WORKER_ID === undefined) {
  console.log(`The integration tests run against ${target.url}. Left out: ${leftOut.length} files.`);
  for (const [name, reason] of Object.entries(ownSettings))
    console.log(`  tests/integration/${name}: ${reason}`);
}

/** What the projects share that need Postgres: one temporary cluster a run, and the time its start takes. */
const onPostgres = {
  globalSetup: ["homebase-stack/testing/global-setup"],
  // Tests wait for events: these end only what hangs, also on a machine that is busy with other things.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
};

const SOCKET_TESTS = ["homebase/test/postgres/{logins,socket}.integration.test.ts"];

/**
 * `unit` needs nothing; `homebase` (the stack by itself), `integration` (Nosh's backend through its client)
 * and `sql` (its pgTAP files) run on a temporary Postgres; `web` is Nosh's own.
 */
export default defineConfig({
  test: {
    // Many of these tests wait (for clocks, restarts, time-outs): three files at a time keep two cores busy.
    maxWorkers: 3,
    projects: [
      "web/vitest.config.ts",
      {
        test: {
          name: "unit",
          // The modules are loaded once for each worker: half of the time of a run. No file leaves them changed.
          isolate: false,
          // Some feed thousands of made-up values through a parser; a busy machine needs its time for that.
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          include: [
            "homebase/{test,wings}/**/*.test.ts",
            "tests/unit/**/*.test.ts",
            "tests/norms/**/*.test.ts",
          ],
          exclude: ["**/*.integration.test.ts"],
        },
      },
      {
        test: {
          ...onPostgres,
          name: "homebase",
          globalSetup: ["homebase/test/global-setup.ts"],
          isolate: false,
          include: ["homebase/{test,wings}/**/*.integration.test.ts"],
          // These are about the socket.
          exclude: process.env.HOMEBASE_TEST_PLATFORM === "tcp" ? SOCKET_TESTS : [],
          // For the tests with the CLI itself; empty when it is not installed.
          env: { SUPABASE_CLI: findSupabase() ?? "" },
        },
      },
      {
        test: {
          ...onPostgres,
          name: "integration",
          // Files of one worker share its modules, which saves loading the stack for each. They share no state:
          // each has Backends of its own.
          isolate: false,
          include: ["tests/integration/**/*.test.ts"],
          exclude: leftOut,
          // A target has one database, which each file fills anew.
          ...(target ? { fileParallelism: false } : {}),
        },
      },
      {
        test: { ...onPostgres, name: "sql", include: ["tests/sql/**/*.test.ts"] },
      },
    ],
  },
});
