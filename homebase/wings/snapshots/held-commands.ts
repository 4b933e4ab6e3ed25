/** Owns the snapshots of a running stack, for the command and for other parts of the stack: one after the other. */

import { commandError } from "../../src/cli/kit/errors.ts";
import type { HeldCommand, HeldStack, Snapshots } from "../../src/developer/stack-wing.ts";
import { switchBranch } from "./branch-states.ts";
import { prepareRestore, type Restored } from "./restore.ts";
import { type Saved, saveSnapshot } from "./save.ts";
import { deleteSnapshot, listStates } from "./snapshot-folder.ts";
import { CopyProgress } from "./tree-copy.ts";
import { versionsOf } from "./versions.ts";

let turn: Promise<unknown> = Promise.resolve();
let progress: CopyProgress | undefined;

function inTurn<T>(work: (progress: CopyProgress) => Promise<T>): Promise<T> {
  const done = turn
    .catch(() => undefined)
    .then(() => {
      progress = new CopyProgress();
      return work(progress);
    })
    .catch((error: unknown) => {
      throw commandError(error);
    })
    .finally(() => {
      progress = undefined;
    });
  turn = done;
  return done;
}

export const heldSnapshots = (stack: HeldStack): Snapshots => ({
  list: () => listStates(stack.config.projectFolder),
  save: (name) => inTurn((copying) => save(stack, copying, { name })),
  restore: (name) => inTurn((copying) => restore(stack, copying, { name })),
  delete: (name) => inTurn(() => deleteSnapshot(stack.config.projectFolder, name)),
  progress: async () => progress && { done: await progress.done(), total: progress.total },
});

export const heldBranch: HeldCommand = (stack) =>
  inTurn((copying) =>
    switchBranch(stack.config.projectFolder, {
      save: async (name, written) => {
        await save(stack, copying, { name, replace: true });
        await written();
        const { applied, failed } = await stack.migrate();
        return { applied, failed: failed?.describe() };
      },
      restore: (name, options) => restore(stack, copying, { name, ...options }),
    }),
  );

function save(
  stack: HeldStack,
  progress: CopyProgress,
  options: { name: string; replace?: boolean },
): Promise<Saved> {
  return saveSnapshot({
    ...options,
    projectFolder: stack.config.projectFolder,
    progress,
    versions: () => versionsOf(stack.cluster),
    atRest: (copy) => stack.atRest(copy, "A snapshot is saved. Connect again."),
  });
}

async function restore(
  stack: HeldStack,
  progress: CopyProgress,
  options: { name: string; keep?: string; branch?: string },
): Promise<Restored> {
  const began = performance.now();
  const swap = await prepareRestore({
    ...options,
    projectFolder: stack.config.projectFolder,
    progress,
    versions: () => versionsOf(stack.cluster).catch(() => undefined),
  });
  const waiting = performance.now();
  const { failed, applied } = await stack.restore(swap);
  const now = performance.now();
  return {
    applied,
    failed: failed?.describe(),
    reflink: progress.reflink ?? false,
    waited: Math.round(now - waiting),
    milliseconds: Math.round(now - began),
  };
}
