/** Owns `homebase policies`: its subcommands. */
import { group } from "../../src/cli/kit/group.ts";

export const policies = group({
  name: "policies",
  about: "How well the tests know the project's policies.",
  subcommands: {
    coverage: {
      summary: "show which parts of policies the last tests have decided, and how",
      load: async () => (await import("./coverage-command.ts")).coverage,
    },
    mutate: {
      summary: "change policies one by one, and show the changes that no test notices",
      load: async () => (await import("./mutate-command.ts")).mutate,
    },
  },
  examples: [
    "HOMEBASE_COVERAGE=1 npx vitest run && homebase policies coverage",
    "homebase policies mutate supabase/tests",
  ],
});
