/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const inspect: Wing = {
  name: "inspect",
  summary: "sizes, scans, locks and indexes of a database",
  commands: {
    inspect: {
      summary: "show sizes, scans, locks and indexes of a database",
      load: async () => (await import("./inspect-command.ts")).inspect,
    },
  },
};
