/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const snapshots: Wing = {
  name: "snapshots",
  summary: "copies of database, stored files and inbox, and going back to one",
  commands: {
    snapshot: {
      summary: "save database, stored files and inbox under a name, and restore them",
      load: async () => (await import("./snapshot-command.ts")).snapshot,
    },
  },
  control: {
    snapshotSave: async () => (await import("./held-commands.ts")).heldSave,
    snapshotRestore: async () => (await import("./held-commands.ts")).heldRestore,
    snapshotBranch: async () => (await import("./held-commands.ts")).heldBranch,
    snapshotDelete: async () => (await import("./held-commands.ts")).heldDelete,
    snapshotProgress: async () => (await import("./held-commands.ts")).heldProgress,
  },
  sessions: { postgres: ["wings/snapshots/versions.ts"] },
};
