/** Unit tests of Nosh: domain code, what functions share with the browser, and components by themselves. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "web",
    testTimeout: 60_000,
    environment: "node",
    // As the other projects, beside which these run.
    maxWorkers: 3,
    isolate: false,
    // Component tests are .test.tsx and name jsdom as their environment.
    include: ["src/**/*.test.{ts,tsx}", "../supabase/functions/_shared/**/*.test.ts"],
  },
});
