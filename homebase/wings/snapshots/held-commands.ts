/** Owns what a running stack does for `homebase snapshot`, one after the other. */

import { commandError } from "../../src/cli/kit/errors.ts";
import type { HeldCommand } from "../../src/developer/stack-wing.ts";
import { prepareRestore, type Restored } from "./restore.ts";
import { saveSnapshot } from "./save.ts";
import { deleteSnapshot } from "./snapshot-folder.ts";
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

export const heldSave: HeldCommand = (stack, name) =>
  inTurn((copying) =>
    saveSnapshot({
      projectFolder: stack.config.projectFolder,
      name: String(name),
      progress: copying,
      versions: () => versionsOf(stack.cluster),
      atRest: (copy) => stack.atRest(copy, "A snapshot is saved. Connect again."),
    }),
  );

export const heldRestore: HeldCommand = (stack, name) =>
  inTurn(async (copying): Promise<Restored> => {
    const began = performance.now();
    const swap = await prepareRestore({
      projectFolder: stack.config.projectFolder,
      name: String(name),
      progress: copying,
      versions: () => versionsOf(stack.cluster).catch(() => undefined),
    });
    const waiting = performance.now();
    const { failed, applied } = await stack.restore(swap);
    const now = performance.now();
    return {
      applied,
      failed: failed?.describe(),
      reflink: copying.reflink ?? false,
      waited: Math.round(now - waiting),
      milliseconds: Math.round(now - began),
    };
  });

export const heldDelete: HeldCommand = ({ config }, name) =>
  inTurn(() => deleteSnapshot(config.projectFolder, String(name)));

export const heldProgress: HeldCommand = async () =>
  progress && { done: await progress.done(), total: progress.total };
