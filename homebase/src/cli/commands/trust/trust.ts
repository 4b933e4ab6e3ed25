/** Owns `homebase trust`: shows what a project's `.homebase/` holds, and signs it for this user of this machine. */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { entriesBelow, readStart } from "../../../core/untrusted-files.ts";
import { isTrusted, signStateFolder, stateFolderOf } from "../../../postgres/cluster/state-folder.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError, table } from "../../kit/terminal.ts";

/** What the folder holds, by the name of its entry; others are listed without a description. */
const MEANINGS: Record<string, string> = {
  data: "the database: its functions and settings run in the server",
  "data.vault-key": "the key of Vault",
  storage: "stored files",
  inbox: "mails",
  logs: "the log",
  aside: "data that a reset has moved away",
  "ports.json": "the ports of this project",
  "other-issuer.json": "keys of another issuer, and the key that signs in its place",
};

interface Entry {
  name: string;
  /** "folder", "file" or "link". */
  kind: string;
  files: number;
  bytes: number;
  /** ISO 8601; of the newest file. */
  changed: string;
  meaning: string;
}

export const trust: Command = {
  help: `Usage: homebase trust [options]

Shows what is in this project's .homebase/ and signs it, so that homebase start uses it. Needed once for a folder
that an earlier version of Homebase made, that you have copied or moved, or that a cache of CI has restored: a
folder that comes with a repository could bring a database that runs programs. The signature counts for this user,
this machine and this place only. Use --dry-run to look first.

Options:
  --dry-run          show what is in it, and sign nothing
${sharedHelp}

Examples:
  homebase trust --dry-run
  homebase trust`,
  run: async (args) => {
    const { values } = parseOptions(args, { "dry-run": { type: "boolean" } });
    const { projectFolder } = configFor(values);
    const folder = stateFolderOf(projectFolder);
    if (!existsSync(folder))
      throw new CommandError(`There is no ${folder}: homebase start makes and signs it.`);
    const before = isTrusted(projectFolder);
    const entries = readdirSync(folder)
      .sort()
      .map((name) => describe(folder, name));
    const database = versionIn(folder);
    if (!values["dry-run"]) signStateFolder(projectFolder);
    const trusted = isTrusted(projectFolder);
    if (values.json) {
      process.stdout.write(`${JSON.stringify({ folder, before, trusted, database, entries })}\n`);
      return;
    }
    const rows = entries.map(({ name, kind, files, bytes, changed, meaning }): [string, string] => [
      // Names may hold escapes of the terminal.
      /^[\w.-]+$/.test(name) ? name : inspect(name),
      `${kind}, ${files} ${files === 1 ? "file" : "files"}, ${(bytes / 1024 ** 2).toFixed(1)} MB, changed ${changed.slice(0, 19)}${meaning && `: ${meaning}`}`,
    ]);
    const state = values["dry-run"] ? (before ? "It is signed." : "It is not signed.") : "Signed.";
    const version = database === undefined ? "" : `It has a database of Postgres ${database}.\n`;
    process.stdout.write(`${folder}\n${table(rows)}\n${version}${state}\n`);
  },
};

function describe(folder: string, name: string): Entry {
  const path = join(folder, name);
  const found = lstatSync(path);
  const below = found.isDirectory()
    ? [...entriesBelow(path)].map((entry) => lstatSync(join(entry.parentPath, entry.name)))
    : [found];
  const changed = below.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), found.mtimeMs);
  return {
    name,
    kind: found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file",
    files: below.length,
    bytes: below.reduce((sum, { size }) => sum + size, 0),
    changed: new Date(changed).toISOString(),
    meaning: MEANINGS[name] ?? "",
  };
}

function versionIn(folder: string): string | undefined {
  try {
    if (!lstatSync(join(folder, "data")).isDirectory()) return undefined;
    return /^\d+$/m.exec(readStart(join(folder, "data", "PG_VERSION"), 10))?.[0];
  } catch {
    return undefined;
  }
}
