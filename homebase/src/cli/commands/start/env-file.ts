/**
 * Owns `.env.local`, written only on request: the stack's URL and key under the names that the app's
 * framework reads.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf, staysWithin, writeProjectFile } from "../../../config/project-paths.ts";

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

/**
 * Writes the variables into `.env.local` of a project, keeping its other content.
 * @returns the file. @throws PathLeaves
 */
export function writeEnvFile(projectFolder: string, url: string, publishableKey: string): string {
  const file = join(projectFolder, ".env.local");
  const before =
    existsSync(file) && staysWithin(repositoryOf(projectFolder), file) ? readFileSync(file, "utf8") : "";
  const prefix = prefixOf(projectFolder);
  const names = prefix === "" ? [""] : ["", prefix];
  const lines = names.flatMap((each) => [
    `${each}SUPABASE_URL=${url}`,
    `${each}SUPABASE_PUBLISHABLE_KEY=${publishableKey}`,
  ]);
  const block = `${[BEGIN, ...lines, END].join("\n")}\n`;
  writeProjectFile(projectFolder, file, withBlock(before, block), { mode: 0o600 });
  return file;
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
