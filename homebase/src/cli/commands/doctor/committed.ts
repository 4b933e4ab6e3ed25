/** Owns whether git could give back the supabase folder as it is, so that a repair may change it. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../../../config/config.ts";
import { MARK } from "../../../tools/repair/guesses.ts";
import { safeGit } from "../../kit/git.ts";
import { CommandError } from "../../kit/terminal.ts";

const WAY = "Commit first: git add supabase && git commit. Nothing was changed.";
const SHOWN = 5;

/**
 * Renames of committed migrations and a migration that a repair has written are no obstacle: a repair that was
 * interrupted goes on.
 * @throws CommandError where something in the folder is in no commit
 */
export function refuseUncommitted({ projectFolder, supabaseFolder }: Config): void {
  const git = (...args: string[]) => safeGit(projectFolder, ...args);
  const folder = relative(projectFolder, supabaseFolder).replaceAll("\\", "/");
  try {
    git("rev-parse", "--verify", "HEAD");
  } catch (error) {
    throw new CommandError(`${reason(error)}, so a repair could not be undone. ${WAY}`);
  }
  const beside = git("status", "--porcelain", "-uall", "--", folder, `:(exclude)${folder}/migrations`)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3));
  const committed = new Map(
    git("ls-tree", "-r", "-z", "HEAD", "--", `${folder}/migrations/`)
      .split("\0")
      .filter((line) => line !== "")
      .map((line) => {
        const [, hash = "", path = ""] = /^\S+ \S+ (\S+)\t(.*)$/s.exec(line) ?? [];
        return [hash, path];
      }),
  );
  const present = migrationFiles(join(supabaseFolder, "migrations"));
  const hashes = new Map(present.map((file) => [file, git("hash-object", "--", file).trim()]));
  const unknown = present.filter((file) => !committed.has(hashes.get(file) ?? "") && !isOwn(file));
  const kept = new Set(hashes.values());
  const gone = [...committed].filter(([hash]) => !kept.has(hash)).map(([, path]) => path);
  const changed = [...beside, ...unknown.map((file) => relative(projectFolder, file)), ...gone];
  if (changed.length === 0) return;
  const more = changed.length > SHOWN ? `, and ${changed.length - SHOWN} more` : "";
  throw new CommandError(
    `In no commit yet, so a repair could not be undone: ${changed.slice(0, SHOWN).join(", ")}${more}. ${WAY}`,
  );
}

function reason(error: unknown): string {
  const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
  if (code === "ENOENT") return "git is not installed";
  if (/not a git repository/.test(stderr)) return "The project is in no git repository (git init makes one)";
  if (/Needed a single revision/.test(stderr)) return "The git repository has no commit yet";
  return `git does not answer (${stderr.trim().split("\n")[0] ?? ""})`;
}

function migrationFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // There is no such folder yet.
    return [];
  }
}

function isOwn(file: string): boolean {
  return readFileSync(file, "utf8").startsWith(MARK);
}
