/** Owns finding the project that a command works on. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CONFIG_FILES, configFiles } from "./config-file.ts";

// A configuration is optional: other project files distinguish the folder from an unrelated one with that name.
const PROJECT_PARTS = [...CONFIG_FILES, "migrations", "functions", "schemas", "seed.sql"];

/** Whether a folder has a `supabase/` with files of a project. */
export function isProject(folder: string): boolean {
  return PROJECT_PARTS.some((part) => existsSync(join(folder, "supabase", part)));
}

/**
 * The folder that a command started in `from` works on: the nearest with a project upwards, or the only one below.
 * @param named whether the caller has named `from`: its own project is meant then, whatever is above it.
 */
export function findProject(
  from: string,
  environment: Record<string, string | undefined>,
  named = false,
): string {
  const start = resolve(from);
  if (named && isProject(start)) return start;
  const exact = environment.SUPABASE_WORKDIR;
  if (exact) return resolve(exact);
  let bare: string | undefined;
  for (let folder = start; ; folder = dirname(folder)) {
    if (configFiles(join(folder, "supabase")).length > 0) return folder;
    if (isProject(folder)) bare ??= folder;
    if (folder === dirname(folder)) break;
  }
  if (bare !== undefined) return bare;
  const below = projectsBelow(start);
  return below.length === 1 && below[0] !== undefined ? below[0] : start;
}

/** So deep lie the packages of a monorepo. */
const DEEPEST = 3;
/** A search in a home folder ends somewhere. */
const MOST_FOLDERS = 2_000;

/** The projects below a folder that has none itself: those of a monorepo's packages. */
export function projectsBelow(start: string): string[] {
  const found: string[] = [];
  let level = [start];
  let looked = 0;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const entry of subfoldersOf(folder)) {
        looked += 1;
        if (looked > MOST_FOLDERS) return found;
        const path = join(folder, entry);
        // A package that is called supabase has its project in supabase/supabase.
        const inner = isProject(join(path, "supabase")) ? [join(path, "supabase")] : [];
        if (isProject(path)) found.push(path, ...inner);
        else next.push(path);
      }
    }
    level = next;
  }
  return found;
}

/** The names of folders; links are not followed. */
function subfoldersOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
