/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const copy: Wing = {
  name: "copy",
  summary: "rows of another database, masked",
  commands: {
    pull: {
      summary: "copy rows of another database into this one, masked",
      load: async () => (await import("./pull-command.ts")).pull,
    },
  },
};
