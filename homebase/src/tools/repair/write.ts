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
import type { Migration } from "../../postgres/files/read.ts";
import type { RepairPlan } from "./plan.ts";

/** The new migration while it is written; no migration by its name. */
const UNFINISHED = ".homebase-doctor.sql";

/**
 * @param done called after each step with a line about it
 * @throws PathLeaves, NotRenamed before anything is changed
 */
export function carryOut(config: Config, plan: RepairPlan, done: (step: string) => void): void {
  const { projectFolder } = config;
  for (const { from, to } of plan.renames) refuseRename(projectFolder, from, to);
  const unfinished = plan.base && writeUnfinished(projectFolder, plan.base);
  for (const { from, to } of plan.renames) {
    renameProjectFile(projectFolder, from, to);
    done(`renamed ${from} to ${to}`);
  }
  if (!plan.base || unfinished === undefined) return;
  renameProjectFile(projectFolder, unfinished, plan.base.path);
  done(`wrote ${plan.base.path}`);
}

/** @returns the path of the file that becomes the new migration */
function writeUnfinished(projectFolder: string, { path, sql }: Migration): string {
  refuseTaken(projectFolder, path);
  const unfinished = join(dirname(path), UNFINISHED);
  // An interrupted repair leaves it.
  if (lstatSync(join(projectFolder, unfinished), { throwIfNoEntry: false })?.isFile())
    rmSync(join(projectFolder, unfinished));
  refuseTaken(projectFolder, unfinished);
  writeProjectFile(projectFolder, unfinished, sql, { flag: "wx" });
  return unfinished;
}
