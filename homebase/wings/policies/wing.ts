/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const policies: Wing = {
  name: "policies",
  summary: "which policies the tests decide, and which changes they would miss",
  commands: {
    policies: {
      summary: "show which policies the tests decide, and which changes they would miss: coverage, mutate",
      load: async () => (await import("./policies-command.ts")).policies,
    },
  },
};
