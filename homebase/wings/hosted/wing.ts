/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const hosted: Wing = {
  name: "hosted",
  summary: "a stand-in for a hosted project and its Management API",
  commands: {
    hosted: {
      summary: "start a stand-in for a hosted project, to rehearse a deploy on",
      load: async () => (await import("./hosted-command.ts")).hosted,
    },
  },
  sessions: { supabase_read_only_user: ["wings/hosted/stand-in.ts"] },
};
