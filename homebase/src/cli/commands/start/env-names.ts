/** Owns finding the names of variables under which an app reads the stack's address and keys. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export type Meaning = "url" | "publishableKey" | "anonKey" | "secretKey" | "serviceRoleKey";

/** The frameworks' prefixes of variables that browsers may see. */
const PUBLIC = "NEXT_PUBLIC_|NUXT_PUBLIC_|EXPO_PUBLIC_|GATSBY_|REACT_APP_|VITE_|PUBLIC_";

/** The meanings of known names, without their prefix. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  SUPABASE_URL: "url",
  SUPABASE_API_URL: "url",
  SUPABASE_PROJECT_URL: "url",
  SUPABASE_PUBLISHABLE_KEY: "publishableKey",
  SUPABASE_PUBLISHABLE_DEFAULT_KEY: "publishableKey",
  SUPABASE_PUBLISHABLE_OR_ANON_KEY: "publishableKey",
  SUPABASE_KEY: "publishableKey",
  SUPABASE_ANON_KEY: "anonKey",
  SUPABASE_ANON_PUBLIC_KEY: "anonKey",
  SUPABASE_SECRET_KEY: "secretKey",
  SUPABASE_SERVICE_ROLE_KEY: "serviceRoleKey",
  SUPABASE_SERVICE_KEY: "serviceRoleKey",
  SUPABASE_SERVICE_ROLE: "serviceRoleKey",
};

const NAME = new RegExp(`(?<![A-Za-z0-9_])((?:${PUBLIC})?)(SUPABASE_[A-Z_]+)(?![A-Za-z0-9_])`, "g");
/** Keys that pass row level security. */
const SECRET: ReadonlySet<Meaning> = new Set(["secretKey", "serviceRoleKey"]);

const SOURCE = /\.([cm]?[jt]sx?|vue|svelte|astro)$/;
const EXAMPLE = /^\.?env(\.[\w-]+)*\.(example|sample|template|dist)$|^\.env\.example(\.[\w-]+)*$/;
/** Folders without an app's own sources; edge functions get their variables from the stack. */
const SKIPPED = new Set(["node_modules", "supabase", "dist", "build", "out", "coverage", "vendor"]);
const MOST_FILES = 10_000;
const MOST_BYTES = 1024 ** 2;

/** One variable that an app reads. */
export interface ReadName {
  name: string;
  meaning: Meaning;
  secret: boolean;
  /** Whether its prefix gives it to browsers. */
  public: boolean;
  /** Whether a file such as `.env.example` names it. */
  inExample: boolean;
}

/** The known names in a project's example files and sources, by name. */
export function namesRead(projectFolder: string): ReadName[] {
  return namesOf(filesOf(projectFolder));
}

/** The known names in the example files and the .env.local of a folder itself. */
export function namesIn(folder: string): ReadName[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && (EXAMPLE.test(entry.name) || entry.name === ".env.local"),
  );
  return namesOf(files.map(({ name }) => ({ path: join(folder, name), inExample: EXAMPLE.test(name) })));
}

function namesOf(files: readonly { path: string; inExample: boolean }[]): ReadName[] {
  const found = new Map<string, ReadName>();
  for (const { path, inExample } of files) {
    for (const [name, prefix = "", bare = ""] of readFileSync(path, "utf8").matchAll(NAME)) {
      const meaning = MEANINGS[bare];
      if (meaning === undefined) continue;
      found.set(name, {
        name,
        meaning,
        secret: SECRET.has(meaning),
        public: prefix !== "",
        inExample: inExample || found.get(name)?.inExample === true,
      });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Links are not followed: they may leave the project. */
function filesOf(projectFolder: string): { path: string; inExample: boolean }[] {
  const found: { path: string; inExample: boolean }[] = [];
  const folders = [projectFolder];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const inExample = EXAMPLE.test(entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name) && !entry.name.startsWith(".")) folders.push(path);
      } else if (entry.isFile() && (inExample || SOURCE.test(entry.name)) && statSync(path).size < MOST_BYTES)
        found.push({ path, inExample });
      if (found.length >= MOST_FILES) return found;
    }
  }
  return found;
}
