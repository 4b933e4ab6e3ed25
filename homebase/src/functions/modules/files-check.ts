/**
 * Owns the check of a function's files before it runs. Deno lets a module import any file of the machine that its text
 * names, whatever the process may read, and follows links out of a readable folder: both end at the project here.
 */
import { execFile } from "node:child_process";
import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isRecord } from "../../core/record.ts";
import { FunctionError } from "../errors.ts";

const MOST_OUTPUT_BYTES = 64 * 1024 ** 2;
/** Secrets of a project and of its functions. */
const SECRETS = /^\.env(?:\.|$)/;
/** What tools keep beside a project's own files: git's folder, tokens of registries, a shell's variables. */
const HIDDEN = /^\./;

export interface FileBounds {
  /** Folders whose files a function may import: the project, its workspace, Deno's cache. */
  roots: readonly string[];
  /** Folders of the function, whose files it may read in any case. */
  own: readonly string[];
  /** Folders below `roots` that it must not read: the stack's data. */
  closed: readonly string[];
}

export interface DenoCall {
  executable: string;
  /** The options that choose configuration and import map, as for running it. */
  options: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  timeout: number;
}

/** Whether a file or folder is within the bounds, its links resolved. A missing one is. */
export function isWithin(path: string, { roots, own, closed }: FileBounds): boolean {
  const real = realPath(path);
  if (real === undefined) return true;
  const below = (folder: string) => isBelow(real, realPath(folder) ?? folder);
  if (closed.some(below)) return false;
  if (own.some(below)) return true;
  return roots.some((root) => below(root) && !isHidden(relative(realPath(root) ?? root, real)));
}

/** Whether a file of a project is hidden. Packages bring files whose names begin with a dot too. */
function isHidden(path: string): boolean {
  const names = path.split(sep);
  const packages = names.indexOf("node_modules");
  return (
    names.some((name) => SECRETS.test(name)) ||
    names.slice(0, packages === -1 ? undefined : packages).some((name) => HIDDEN.test(name))
  );
}

/** The links below a folder that lead out of the bounds: not readable. */
export function linksOutside(folder: string, bounds: FileBounds): string[] {
  return below(folder, (entry, path) => leadsOut(entry, path, bounds));
}

/** What is not readable below a folder that a function may read: links out of the bounds, and what lies out of them. */
export function unreadable(folder: string, bounds: FileBounds): string[] {
  const asked = (entry: Dirent) => entry.isDirectory() || HIDDEN.test(entry.name);
  return below(
    folder,
    (entry, path) => leadsOut(entry, path, bounds) || (asked(entry) && !isWithin(path, bounds)),
  );
}

/** A link into another of its own folders stays readable; the target's own links are found there. */
function leadsOut(entry: Dirent, path: string, bounds: FileBounds): boolean {
  return entry.isSymbolicLink() && (realPath(path) === undefined || !isWithin(path, bounds));
}

/** The paths below a folder that are refused; what lies below such a path is not looked at. */
function below(folder: string, refused: (entry: Dirent, path: string) => boolean): string[] {
  const found: string[] = [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return found;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (refused(entry, path)) found.push(path);
    else if (entry.isDirectory()) found.push(...below(path, refused));
  }
  return found;
}

/** Checks the files that functions import; remembers what has not changed since. */
export class FilesCheck {
  readonly #checked = new Map<string, string>();

  /**
   * Lists the modules that the entry imports, without running any, and refuses those out of bounds.
   * @throws FunctionError BOOT_ERROR
   */
  async check(entry: string, call: DenoCall, bounds: FileBounds): Promise<void> {
    const key = JSON.stringify([entry, call.options]);
    const before = this.#checked.get(key);
    if (before !== undefined && before === stamps(Object.keys(JSON.parse(before) as object))) return;
    const files = await importedFiles(entry, call);
    const outside = files.find((file) => !isWithin(file, bounds));
    if (outside !== undefined) {
      throw new FunctionError(
        "BOOT_ERROR",
        `It imports ${outside}, which is not a file of this project that functions may read.`,
      );
    }
    this.#checked.set(key, stamps([...new Set([...files, ...optionFiles(call)])]));
  }
}

/** The files of a module graph. */
async function importedFiles(entry: string, call: DenoCall): Promise<string[]> {
  const { executable, options, cwd, environment, timeout } = call;
  const { stdout } = await promisify(execFile)(
    executable,
    ["info", "--json", "--no-lock", ...options, entry],
    {
      cwd,
      env: environment,
      timeout,
      maxBuffer: MOST_OUTPUT_BYTES,
    },
  ).catch((error: Error & { stderr?: string }) => {
    throw new FunctionError("BOOT_ERROR", error.stderr?.trim() || error.message);
  });
  const graph: unknown = JSON.parse(stdout);
  const files = new Set<string>([entry]);
  const add = (specifier: unknown) => {
    if (typeof specifier === "string" && specifier.startsWith("file:")) files.add(fileURLToPath(specifier));
  };
  for (const module of isRecord(graph) && Array.isArray(graph.modules) ? graph.modules : []) {
    if (!isRecord(module)) continue;
    add(module.specifier);
    for (const dependency of Array.isArray(module.dependencies) ? module.dependencies : []) {
      if (isRecord(dependency) && isRecord(dependency.code)) add(dependency.code.specifier);
    }
  }
  return [...files];
}

function optionFiles({ options }: DenoCall): string[] {
  return options.flatMap((option) => /^--(?:config|import-map)=(.*)$/s.exec(option)?.[1] ?? []);
}

/** A value that changes with the file. */
function stamps(files: readonly string[]): string {
  const stampOf = (file: string) => {
    try {
      const { mtimeMs, size } = statSync(file);
      return `${realpathSync(file)} ${mtimeMs} ${size}`;
    } catch {
      return "";
    }
  };
  return JSON.stringify(Object.fromEntries(files.map((file) => [file, stampOf(file)])));
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Undefined for a path that does not exist; a link that leads nowhere is its target's name. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
