/**
 * Owns the folder of a project's snapshots: `.homebase/snapshots/<name>/`, each with a file that describes it. Anything
 * with another ending in its name is unfinished and removed by the next command that changes something here.
 */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../../src/cli/kit/terminal.ts";
import { privateFolder } from "../../src/core/private-folder.ts";
import { recordOf } from "../../src/core/record.ts";
import { syncFile } from "../../src/core/sync-file.ts";
import { readStart } from "../../src/core/untrusted-files.ts";
import type { SavedState } from "../../src/developer/stack-wing.ts";
import { keptStates, making, StateSwap } from "../../src/developer/state-swap.ts";
import { unfitReason, type Versions } from "./versions.ts";

/** The name of the state that the last restore has replaced. */
export const BEFORE_RESTORE = "before-restore";
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const DESCRIPTION = "snapshot.json";
const MOST_BYTES = 1_000_000;
const FORMAT = 1;

/** The name of a snapshot's folder that is being removed. */
export const leaving = (folder: string) => `${folder}.deleting`;

/** The description that a snapshot has in its folder. */
export interface Description {
  /** ISO 8601. */
  made: string;
  /** Of database, stored files and mails. */
  bytes: number;
  /** Undefined for a replaced state whose database could not be opened. */
  versions: Versions | undefined;
}

export interface Snapshot extends Description {
  name: string;
  folder: string;
}

/** @throws CommandError for a name that is not a plain one */
export function snapshotPath(projectFolder: string, name: string): string {
  if (!NAME.test(name))
    throw new CommandError(
      `The name of a snapshot has up to 64 letters, digits, - and _, and does not begin with -. Not: ${JSON.stringify(name)}`,
      2,
    );
  return join(keptStates(projectFolder), name);
}

/** Newest first. Links and folders without a description are not snapshots. */
export function listSnapshots(projectFolder: string): Snapshot[] {
  const parent = keptStates(projectFolder);
  if (!existsSync(parent)) return [];
  return readdirSync(privateFolder(parent))
    .filter((name) => NAME.test(name))
    .flatMap((name) => readSnapshot(join(parent, name), name) ?? [])
    .sort((one, other) => other.made.localeCompare(one.made));
}

/** As lists show them. */
export function listStates(projectFolder: string): SavedState[] {
  return listSnapshots(projectFolder).map(({ name, made, bytes, versions }) => ({
    name,
    made,
    bytes,
    migration: versions?.migration ?? null,
    unfit: (versions && unfitReason(versions)) ?? null,
  }));
}

/** @throws CommandError when there is none of this name */
export function findSnapshot(projectFolder: string, name: string): Snapshot {
  const folder = snapshotPath(projectFolder, name);
  const found = listSnapshots(projectFolder);
  const snapshot = found.find((one) => one.folder === folder);
  if (snapshot) return snapshot;
  const names = found.map((one) => one.name);
  throw new CommandError(
    `There is no snapshot ${name}. ${names.length > 0 ? `There are: ${names.join(", ")}.` : "Save one with: homebase snapshot save NAME"}`,
  );
}

/** Ends what a killed command has left here. The caller holds the lock. @throws CommandError */
export async function tidySnapshots(projectFolder: string): Promise<void> {
  const swap = StateSwap.interrupted(projectFolder);
  if (swap && !swap.confirmed)
    throw new CommandError(
      `A ${swap.by} was interrupted. The next start puts the previous data back: homebase stop, then homebase start.`,
    );
  await swap?.keepOld();
  const parent = privateFolder(keptStates(projectFolder));
  for (const name of readdirSync(parent))
    if (/\.(making|deleting)$/.test(name)) rmSync(join(parent, name), { recursive: true, force: true });
}

/** @throws CommandError when there is none of this name */
export async function deleteSnapshot(projectFolder: string, name: string): Promise<void> {
  await tidySnapshots(projectFolder);
  const { folder } = findSnapshot(projectFolder, name);
  // By one rename: a kill leaves no snapshot with half of its files.
  renameSync(folder, leaving(folder));
  rmSync(leaving(folder), { recursive: true, force: true });
}

/** Makes the empty folder that a snapshot is made in. */
export function beginSnapshot(projectFolder: string, name: string): string {
  const folder = making(snapshotPath(projectFolder, name));
  rmSync(folder, { recursive: true, force: true });
  return privateFolder(folder);
}

export async function describeSnapshot(folder: string, description: Description): Promise<void> {
  const file = await open(join(folder, DESCRIPTION), "w", 0o600);
  await file
    .writeFile(`${JSON.stringify({ format: FORMAT, ...description }, null, 2)}\n`)
    .then(() => syncFile(file))
    .finally(() => file.close());
}

function readSnapshot(folder: string, name: string): Snapshot | undefined {
  if (!lstatSync(folder).isDirectory()) return undefined;
  try {
    const { format, made, bytes, versions } = recordOf(
      JSON.parse(readStart(join(folder, DESCRIPTION), MOST_BYTES)),
    );
    if (format !== FORMAT || typeof made !== "string" || typeof bytes !== "number") return undefined;
    return { name, folder, made, bytes, versions: readVersions(versions) };
  } catch {
    return undefined;
  }
}

function readVersions(given: unknown): Versions | undefined {
  if (given === undefined) return undefined;
  const { postgres, machine, release, base, extensions, migration } = recordOf(given);
  return {
    postgres: String(postgres),
    machine: String(machine),
    release: String(release),
    base: String(base),
    extensions: Object.fromEntries(
      Object.entries(recordOf(extensions)).map(([name, kind]) => [name, String(kind)]),
    ),
    migration: typeof migration === "string" ? migration : null,
  };
}
