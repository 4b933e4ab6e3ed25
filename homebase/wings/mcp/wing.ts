/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const mcp: Wing = {
  name: "mcp",
  summary: "/mcp, for assistants (Model Context Protocol)",
  stack: { mcp: async (start) => (await import("./service.ts")).createMcpService(start) },
  commands: {
    mcp: {
      summary: "let assistants ask the running stack (Model Context Protocol)",
      load: async () => (await import("./mcp-command.ts")).mcp,
    },
  },
  sessions: {
    homebase_reader: ["wings/mcp/read-only.ts"],
    postgres: ["wings/mcp/request-tools.ts"],
    supabase_admin: ["wings/mcp/reader-rights.ts"],
  },
};
