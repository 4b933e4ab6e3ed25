/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const restServer: Wing = {
  name: "rest-server",
  summary: "REST for any Postgres, as PostgREST serves it",
  commands: {
    rest: {
      summary: "serve any Postgres as PostgREST does, configured by PGRST_* variables",
      load: async () => (await import("./rest-command.ts")).rest,
    },
  },
};
