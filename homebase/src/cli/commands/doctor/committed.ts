/** Owns whether git could give back the supabase folder as it is, so that a repair may change it. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../../../config/config.ts";
import { safeGit } from "../../../core/safe-git.ts";
import { sameLines } from "../../../tools/repair/carry-out.ts";
import { isMarked } from "../../../tools/repair/mark.ts";
import { CommandError } from "../../kit/terminal.ts";

const WAY = "Commit first: git add supabase && git commit. Nothing was changed.";
const SHOWN = 5;

/**
 * Renames of committed migrations, other orders of their lines and a migration that a repair has written are no obstacle: a
 * repair that was interrupted goes on.
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
  const kept = new Set<string>();
  const unknown = migrationFiles(join(supabaseFolder, "migrations")).filter((file) => {
    // Git keeps where a link leads; what is there is not read.
    const text = lstatSync(file).isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file);
    const hashes = blobHashes(text, [...committed.keys()][0]);
    for (const hash of hashes) kept.add(hash);
    return !hashes.some((hash) => committed.has(hash)) && !isMarked(text.toString("utf8"));
  });
  const lost = [...committed].filter(([hash]) => !kept.has(hash));
  const reordered = unknown.filter((file) => {
    const at = lost.findIndex(([hash]) =>
      sameLines(git("cat-file", "blob", hash), readFileSync(file, "utf8")),
    );
    return at >= 0 && lost.splice(at, 1).length > 0;
  });
  const gone = lost.map(([, path]) => path);
  const others = unknown.filter((file) => !reordered.includes(file));
  const changed = [...beside, ...others.map((file) => relative(projectFolder, file)), ...gone];
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

/**
 * How git names these bytes, as they are and with the line ends that it commits on Windows. Without git, which would run
 * the filters of the repository.
 * @param like a name of the same repository, which shows its kind of hash
 */
function blobHashes(bytes: Buffer, like = ""): string[] {
  const unix = Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return [bytes, unix].map((content) =>
    createHash(like.length === 64 ? "sha256" : "sha1")
      .update(`blob ${content.length}\0`)
      .update(content)
      .digest("hex"),
  );
}
