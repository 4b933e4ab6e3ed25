/**
 * Owns finding the packages of a project's own workspace, which functions import by name: members of a Deno workspace
 * (Deno's manual, "Workspaces and monorepos") and of an npm one (npm's documentation, "workspaces").
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { staysWithin } from "../../config/project-paths.ts";
import { glob } from "../../core/glob.ts";
import { parseJsonc } from "../../core/jsonc.ts";
import { isRecord } from "../../core/record.ts";

/** A package of a workspace. */
export interface WorkspacePackage {
  name: string;
  /** Absolute path. */
  folder: string;
  /** Absolute paths of its modules by the specifier that imports them: `name`, `name/part`. */
  modules: ReadonlyMap<string, string>;
  /** Whether a package that declares no exports may be imported by any path below its folder. */
  open: boolean;
  /** Its package.json, absolute; undefined for a package of Deno's. */
  packageJson: string | undefined;
}

export type WorkspaceKind = "deno" | "npm";

/**
 * The packages of the nearest workspace above a folder, by name; empty where there is none. For `deno` the folder must
 * itself be a member, as Deno requires of a configuration file.
 */
export function workspacePackages(
  folder: string,
  kind: WorkspaceKind,
): ReadonlyMap<string, WorkspacePackage> {
  for (let at = folder; ; at = dirname(at)) {
    const folders = memberFolders(at, kind);
    if (folders && (kind === "npm" || folders.includes(folder))) {
      const found = folders.map(packageOf).filter((one) => one !== undefined);
      return new Map(found.map((one) => [one.name, one]));
    }
    if (at === dirname(at)) return new Map();
  }
}

/** The module that a specifier names, absolute; undefined where it names none of the workspace's. */
export function workspaceModule(
  specifier: string,
  packages: ReadonlyMap<string, WorkspacePackage>,
): string | undefined {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const found = packages.get(name);
  if (!found) return undefined;
  const module = found.modules.get(specifier);
  if (module !== undefined || !found.open || specifier === name) return module;
  return join(found.folder, specifier.slice(name.length));
}

/** The members' folders, of the manifest in this folder; undefined where it declares no workspace. */
function memberFolders(folder: string, kind: WorkspaceKind): string[] | undefined {
  const manifest = kind === "deno" ? denoManifest(folder) : readManifest(join(folder, "package.json"));
  const declared = kind === "deno" ? manifest?.workspace : manifest?.workspaces;
  const nested = isRecord(declared) ? (kind === "deno" ? declared.members : declared.packages) : declared;
  if (!Array.isArray(nested)) return undefined;
  const patterns = nested.filter((pattern) => typeof pattern === "string");
  return (
    patterns
      .flatMap((pattern) => glob(pattern.replace(/\/+$/, ""), folder, { folders: true }))
      .map((found) => resolve(folder, found))
      // As npm and Deno have it; a project could otherwise name any folder of the machine.
      .filter((found) => staysWithin(realpathSync(folder), found))
  );
}

function packageOf(folder: string): WorkspacePackage | undefined {
  const deno = denoManifest(folder);
  const path = join(folder, "package.json");
  const own = typeof deno?.name === "string" ? deno : readManifest(path);
  if (!own || typeof own.name !== "string") return undefined;
  const { name } = own;
  const exported = own.exports ?? own.module ?? own.main ?? (own === deno ? undefined : "./index.js");
  const modules = new Map<string, string>();
  for (const [key, target] of Object.entries(entriesOf(exported))) {
    const file = fileOf(target);
    if (file !== undefined) modules.set(join(name, key), resolve(folder, file));
  }
  return {
    name,
    folder,
    modules,
    open: own.exports === undefined && own !== deno,
    packageJson: own === deno ? undefined : path,
  };
}

/** Exports by their path: one module, paths, or the conditions of one module. */
function entriesOf(exported: unknown): Record<string, unknown> {
  if (isRecord(exported) && Object.keys(exported).every((key) => key.startsWith("."))) return exported;
  return { ".": exported };
}

/** The conditions that hold for a function, by Deno's precedence. */
const CONDITIONS = ["deno", "import", "module", "default"];

function fileOf(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (!isRecord(target)) return undefined;
  return CONDITIONS.map((condition) => fileOf(target[condition])).find((file) => file !== undefined);
}

function denoManifest(folder: string): Record<string, unknown> | undefined {
  return readManifest(join(folder, "deno.json")) ?? readManifest(join(folder, "deno.jsonc"));
}

/** A manifest's content; undefined where it is missing or no JSON, which Deno reports itself. */
function readManifest(path: string): Record<string, unknown> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const value: unknown = parseJsonc(readFileSync(path, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
