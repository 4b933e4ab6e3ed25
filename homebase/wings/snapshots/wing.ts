/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";
import type { HeldStack, Snapshots } from "../../src/developer/stack-wing.ts";

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
    snapshotSave: async () => (stack, name) => held(stack, (states) => states.save(String(name))),
    snapshotRestore: async () => (stack, name) => held(stack, (states) => states.restore(String(name))),
    snapshotBranch: async () => (await import("./held-commands.ts")).heldBranch,
    snapshotDelete: async () => (stack, name) => held(stack, (states) => states.delete(String(name))),
    snapshotProgress: async () => (stack) => held(stack, (states) => states.progress()),
  },
  snapshots: async () => (await import("./held-commands.ts")).heldSnapshots,
  sessions: { postgres: ["wings/snapshots/versions.ts"] },
};

async function held<T>(stack: HeldStack, work: (states: Snapshots) => Promise<T>): Promise<T> {
  return work((await import("./held-commands.ts")).heldSnapshots(stack));
}
