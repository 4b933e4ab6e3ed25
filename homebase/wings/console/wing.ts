/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const consoleWing: Wing = {
  name: "console",
  summary: "a page beside the app: what happened, where it stopped, and why",
  beside: {
    port: ({ studio, page }) =>
      studio.enabled && page?.enabled !== false ? [studio.port, "console"] : undefined,
    open: async (start) => (await import("./server/open.ts")).openConsole(start),
  },
  commands: {
    console: {
      summary: "print a link to the console of the running stack: what happened, where it stopped, and why",
      load: async () => (await import("./console-command.ts")).consoleCommand,
    },
  },
  sessions: {
    postgres: ["wings/console/server/owner-connections.ts", "wings/console/server/sql/run.ts"],
    authenticator: ["wings/console/server/sql/run.ts"],
  },
};
