/**
 * Runs inside a function's own Deno process: gives `node:fs` the same /tmp as Deno's own file functions have.
 * Functions that are imported from it by name are out of reach; those of the module's object, of
 * `fs.promises` and of whatever `require` gives are not.
 */
import fs from "node:fs";
import promises from "node:fs/promises";
import type { TemporaryPaths } from "./paths.ts";

type Call = (...args: unknown[]) => unknown;
type Table = Record<string, unknown>;

/** Their first argument is a path. */
const CALLS = [
  "access",
  "appendFile",
  "exists",
  "lstat",
  "mkdir",
  "mkdtemp",
  "open",
  "opendir",
  "readFile",
  "readdir",
  "realpath",
  "rm",
  "rmdir",
  "stat",
  "truncate",
  "unlink",
  "utimes",
  "writeFile",
];
const STREAMS = ["createReadStream", "createWriteStream"];
/** These give a path, or none. */
const GIVING = new Set(["mkdir", "mkdtemp", "realpath"]);

export function redirectNodeFiles(paths: TemporaryPaths): void {
  for (const name of CALLS) {
    const giving = GIVING.has(name);
    redirect(fs as unknown as Table, name, giving, paths);
    redirect(fs as unknown as Table, `${name}Sync`, giving, paths);
    redirect(promises as unknown as Table, name, giving, paths);
  }
  for (const name of STREAMS) redirect(fs as unknown as Table, name, false, paths);
}

function redirect(table: Table, name: string, giving: boolean, paths: TemporaryPaths): void {
  const original = table[name];
  if (typeof original !== "function") return;
  // A proxy, as some of them carry functions of their own.
  table[name] = new Proxy(original as Call, {
    apply(call, self, [path, ...rest]: unknown[]) {
      const last = rest.at(-1);
      if (giving && typeof last === "function") {
        rest[rest.length - 1] = (error: unknown, given: unknown) => last(error, paths.outside(given));
      }
      const result = Reflect.apply(call, self, [paths.inside(path), ...rest]);
      if (!giving) return result;
      return result instanceof Promise ? result.then(paths.outside) : paths.outside(result);
    },
  });
}
