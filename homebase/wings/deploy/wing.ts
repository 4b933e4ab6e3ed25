/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const deploy: Wing = {
  name: "deploy",
  summary: "a deploy to a hosted project",
  commands: {
    deploy: {
      summary: "deploy supabase/ to a hosted project, after showing every change",
      load: async () => (await import("./deploy-command.ts")).deployCommand,
    },
  },
};
