/**
 * Owns `.env.local`, written only on request: the stack's URL and keys under the names that the app reads.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf, staysWithin, writeProjectFile } from "../../../config/project-paths.ts";
import { safeGit } from "../../../core/safe-git.ts";
import { type Meaning, namesIn, namesRead } from "./env-names.ts";

const BEGIN = "# Written by homebase start --write-env; what is between these lines is replaced.";
const END = "# End of what homebase wrote.";

/** Each framework's prefix for variables that browsers may see. */
const PREFIXES: readonly (readonly [dependency: string, prefix: string])[] = [
  ["next", "NEXT_PUBLIC_"],
  ["nuxt", "NUXT_PUBLIC_"],
  ["expo", "EXPO_PUBLIC_"],
  ["@sveltejs/kit", "PUBLIC_"],
  ["astro", "PUBLIC_"],
  ["react-scripts", "REACT_APP_"],
  ["vite", "VITE_"],
];

/** The result of writing `.env.local`. */
export interface EnvFile {
  path: string;
  names: string[];
  /** Why a name that the app reads was left out, with the line to add by hand where that is safe. */
  leftOut: string[];
}

/**
 * Writes the variables into `.env.local` of a project, keeping its other content. A secret key is written only under a
 * name of an example file, without a prefix for browsers, and if git ignores the file. @throws PathLeaves
 */
export function writeEnvFile(supabaseProject: string, values: Readonly<Record<Meaning, string>>): EnvFile {
  const projectFolder = appFolder(supabaseProject);
  const path = join(projectFolder, ".env.local");
  const before =
    existsSync(path) && staysWithin(repositoryOf(projectFolder), path) ? readFileSync(path, "utf8") : "";
  const read = namesRead(projectFolder);
  const lines = read.filter(({ secret }) => !secret).map(({ name, meaning }) => [name, values[meaning]]);
  for (const [bare, meaning, wanted] of [
    ["SUPABASE_URL", "url", /^url$/],
    ["SUPABASE_PUBLISHABLE_KEY", "publishableKey", /^(publishable|anon)Key$/],
  ] as const) {
    if (read.some((one) => wanted.test(one.meaning))) continue;
    for (const prefix of new Set(["", prefixOf(projectFolder)])) lines.push([prefix + bare, values[meaning]]);
  }
  const leftOut: string[] = [];
  for (const { name, meaning, public: seen, inExample } of read.filter(({ secret }) => secret)) {
    const line = `${name}=${values[meaning]}`;
    const byHand = `To add it by hand: ${line}`;
    if (seen)
      leftOut.push(`${name} is not written: browsers would get a key that passes row level security.`);
    else if (!inExample) leftOut.push(`${name} is not written: no .env.example names it. ${byHand}`);
    else if (!isIgnored(projectFolder, path))
      leftOut.push(`${name} is not written: git does not ignore .env.local. ${byHand}`);
    else lines.push([name, values[meaning]]);
  }
  const block = `${[BEGIN, ...lines.map(([name, value]) => `${name}=${value}`), END].join("\n")}\n`;
  writeProjectFile(projectFolder, path, withBlock(before, block), { mode: 0o600 });
  return { path, names: lines.map(([name = ""]) => name), leftOut };
}

/**
 * The folder whose app reads the variables: the project's own, or its monorepo's root, where only that one has an
 * example file or a .env.local with names that are known.
 */
function appFolder(projectFolder: string): string {
  const root = repositoryOf(projectFolder);
  if (root === realpathSync(projectFolder) || namesRead(projectFolder).length > 0) return projectFolder;
  return namesIn(root).length > 0 ? root : projectFolder;
}

/** A text with the block in its previous place, or at its end. */
export function withBlock(before: string, block: string): string {
  const from = before.indexOf(BEGIN);
  const to = before.indexOf(END, from);
  if (from >= 0 && to >= 0) {
    return before.slice(0, from) + block + before.slice(to + END.length).replace(/^\r?\n/, "");
  }
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  return before + gap + block;
}

/** Whether git leaves the file out of commits; false outside of a repository, and for a file that it has already. */
function isIgnored(projectFolder: string, path: string): boolean {
  try {
    safeGit(projectFolder, "check-ignore", "--quiet", path);
    return true;
  } catch {
    return false;
  }
}

function prefixOf(projectFolder: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8")) as {
      dependencies?: object;
      devDependencies?: object;
    };
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    return PREFIXES.find(([dependency]) => names.includes(dependency))?.[1] ?? "";
  } catch {
    return "";
  }
}
