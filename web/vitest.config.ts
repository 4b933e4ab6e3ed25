/** Unit tests of Nosh: pure domain code of the browser and of the functions it shares with them. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "web",
    testTimeout: 20_000,
    environment: "node",
    include: ["src/**/*.test.ts", "../supabase/functions/_shared/**/*.test.ts"],
  },
});
