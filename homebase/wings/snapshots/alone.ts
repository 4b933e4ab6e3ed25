/** Owns `homebase snapshot` without a running stack: under the lock on the data, with a Postgres of its own where it needs one. */
import { CommandError } from "../../src/cli/kit/terminal.ts";
import type { Config } from "../../src/config/config.ts";
import { silentLog } from "../../src/core/log.ts";
import { DataLock } from "../../src/developer/data-lock.ts";
import { DeveloperStack } from "../../src/developer/developer-stack.ts";
import type { StackWing } from "../../src/developer/stack-wing.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { type Switched, switchBranch } from "./branch-states.ts";
import { prepareRestore, type Restored } from "./restore.ts";
import { type Saved, saveSnapshot } from "./save.ts";
import { deleteSnapshot, findSnapshot } from "./snapshot-folder.ts";
import type { CopyProgress } from "./tree-copy.ts";
import { type Versions, versionsOf } from "./versions.ts";

export async function saveAlone(config: Config, name: string, progress: CopyProgress): Promise<Saved> {
  if (!Cluster.exists(config.projectFolder))
    throw new CommandError("This project has no data yet. Make some with: homebase start");
  return locked(config, "save", () => save(config, { name, progress }));
}

export async function restoreAlone(
  config: Config,
  name: string,
  progress: CopyProgress,
  wings: readonly StackWing[],
): Promise<Restored> {
  // Before the lock, which makes the folder for data.
  findSnapshot(config.projectFolder, name);
  return locked(config, "restore", (lock) => restore({ config, lock, wings }, { name, progress }));
}

/** Under one lock, so that a replacement that was killed is settled before the state's branch is read. */
export function switchAlone(
  config: Config,
  progress: CopyProgress,
  wings: readonly StackWing[],
): Promise<Switched> {
  return locked(config, "branch", (lock) =>
    switchBranch(config.projectFolder, {
      save: async (name, written) => {
        await save(config, { name, progress, replace: true });
        await written();
        // The next start applies what the branch brings.
        return { applied: [], failed: undefined };
      },
      restore: (name, options) => restore({ config, lock, wings }, { name, progress, ...options }),
    }),
  );
}

function save(
  config: Config,
  options: { name: string; progress: CopyProgress; replace?: boolean },
): Promise<Saved> {
  return saveSnapshot({
    ...options,
    projectFolder: config.projectFolder,
    versions: () => readVersions(config),
    atRest: async (copy) => {
      await copy();
      return undefined;
    },
  });
}

async function restore(
  { config, lock, wings }: { config: Config; lock: DataLock; wings: readonly StackWing[] },
  options: { name: string; progress: CopyProgress; keep?: string; branch?: string },
): Promise<Restored> {
  const { projectFolder } = config;
  const began = performance.now();
  await Cluster.stopOrphanedServer(projectFolder);
  const swap = await prepareRestore({
    ...options,
    projectFolder,
    // A database that does not open is a reason to restore.
    versions: () => readVersions(config).catch(() => undefined),
  });
  let stack: DeveloperStack | undefined;
  try {
    await swap.begin();
    stack = await DeveloperStack.start({ config, log: silentLog, lock, wings });
    const { applied, failed } = stack.migrated;
    await stack.stop();
    await swap.confirm();
    // The next command that takes the lock completes it otherwise.
    await swap.keepOld().catch(() => undefined);
    const milliseconds = Math.round(performance.now() - began);
    return { applied, failed: failed?.describe(), reflink: options.progress.reflink ?? false, milliseconds };
  } catch (error) {
    await stack?.stop();
    if (swap.confirmed) throw error;
    await swap.undo();
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`The restore failed; everything is as it was before it.\n${reason}`);
  }
}

export async function deleteAlone(config: Config, name: string): Promise<void> {
  findSnapshot(config.projectFolder, name);
  return locked(config, "delete", () => deleteSnapshot(config.projectFolder, name));
}

async function locked<T>(config: Config, what: string, work: (lock: DataLock) => Promise<T>): Promise<T> {
  const lock = await DataLock.take(config.projectFolder, { command: `homebase snapshot ${what}` });
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/** By a Postgres that is reached by its socket only, and at rest again afterwards. */
async function readVersions({ projectFolder, db }: Config): Promise<Versions> {
  const cluster = await Cluster.start({
    projectFolder,
    port: undefined,
    durable: true,
    settings: db.settings,
  });
  try {
    return await versionsOf(cluster);
  } finally {
    await cluster.stop();
  }
}
