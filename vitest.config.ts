import { defineConfig } from "vitest/config";

/**
 * Four projects: `unit` needs nothing; `homebase` and `integration` share one temporary Postgres; `web`
 * is Nosh's own.
 */
export default defineConfig({
  test: {
    projects: [
      "web/vitest.config.ts",
      {
        test: {
          name: "unit",
          include: ["homebase/test/**/*.test.ts", "tests/unit/**/*.test.ts"],
          exclude: ["**/*.integration.test.ts"],
        },
      },
      {
        test: {
          name: "homebase",
          include: ["homebase/test/**/*.integration.test.ts"],
          globalSetup: ["homebase/src/testing/vitest-setup.ts"],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
