/**
 * Owns carrying out a repair: files are renamed one by one, and the new migration appears whole. Ended in between, it
 * leaves every statement in some file, and the next plan has what is still to do.
 */
import { lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import {
  refuseRename,
  refuseTaken,
  renameProjectFile,
  writeProjectFile,
} from "../../config/project-paths.ts";
import type { NewFile, RepairPlan } from "./repair-plan.ts";

/** The new migration while it is written; no migration by its name. */
const UNFINISHED = ".homebase-doctor.sql";

/**
 * @param done called after each step with a line about it
 * @throws PathLeaves, NotRenamed before anything is changed
 */
export function carryOut(config: Config, plan: RepairPlan, done: (step: string) => void): void {
  const { projectFolder } = config;
  for (const { from, to } of plan.renames) refuseRename(projectFolder, from, to);
  for (const { path } of plan.writes) refuseTaken(projectFolder, path);
  for (const { from, to } of plan.renames) {
    renameProjectFile(projectFolder, from, to);
    done(`renamed ${from} to ${to}`);
  }
  // Copies first: the guessed migration has only what they lack.
  for (const file of plan.writes.toReversed()) {
    writeWhole(projectFolder, file);
    done(`wrote ${file.path}`);
  }
}

/** Writes a file under another name first, so that an interruption leaves all of it or none. */
function writeWhole(projectFolder: string, { path, sql }: NewFile): void {
  const unfinished = join(dirname(path), UNFINISHED);
  // An interrupted repair leaves it.
  if (lstatSync(join(projectFolder, unfinished), { throwIfNoEntry: false })?.isFile())
    rmSync(join(projectFolder, unfinished));
  refuseTaken(projectFolder, unfinished);
  writeProjectFile(projectFolder, unfinished, sql, { flag: "wx" });
  renameProjectFile(projectFolder, unfinished, path);
}
