/**
 * Owns carrying out a repair: files get their statements in order and are renamed one by one, and a new migration appears
 * whole. Ended in between, it leaves every statement in some file, and the next plan has what is still to do.
 */
import { lstatSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import {
  refuseRename,
  refuseReplace,
  refuseTaken,
  renameProjectFile,
  replaceProjectFile,
  writeProjectFile,
} from "../../config/project-paths.ts";
import type { NewFile, RepairPlan } from "./repair-plan.ts";

/** A file while it is written; no migration by its name. */
const UNFINISHED = ".homebase-doctor.sql";

/**
 * @param done called after each step with a line about it
 * @throws PathLeaves, NotRenamed before anything is changed
 */
export function carryOut(config: Config, plan: RepairPlan, done: (step: string) => void): void {
  const { projectFolder } = config;
  for (const { path, before } of plan.reorders) refuseReplace(projectFolder, path, before);
  for (const { from, to } of plan.renames) refuseRename(projectFolder, from, to);
  for (const { path } of plan.writes) refuseTaken(projectFolder, path);
  for (const { path, before, sql: text } of plan.reorders) {
    replaceProjectFile(projectFolder, path, { before, text, unfinished: unfinishedFor(projectFolder, path) });
    done(`moved statements in ${path}`);
  }
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

/** Whether two texts have the same lines in some order, as before and after a move of statements. */
export function sameLines(one: string, other: string): boolean {
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim().replace(/;$/, ""))
      .filter((line) => line !== "")
      .sort()
      .join("\n");
  return lines(one) === lines(other);
}

/** Writes a file under another name first, so that an interruption leaves all of it or none. */
function writeWhole(projectFolder: string, { path, sql }: NewFile): void {
  const unfinished = unfinishedFor(projectFolder, path);
  refuseTaken(projectFolder, unfinished);
  writeProjectFile(projectFolder, unfinished, sql, { flag: "wx" });
  renameProjectFile(projectFolder, unfinished, path);
}

/** A free name beside a file. */
function unfinishedFor(projectFolder: string, path: string): string {
  const unfinished = join(dirname(path), UNFINISHED);
  // An interrupted repair leaves it.
  if (lstatSync(join(projectFolder, unfinished), { throwIfNoEntry: false })?.isFile())
    rmSync(join(projectFolder, unfinished));
  return unfinished;
}
