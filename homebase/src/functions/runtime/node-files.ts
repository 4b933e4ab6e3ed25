/**
 * Runs inside a function's own Deno process: gives `node:fs` the same /tmp as Deno's own file functions. Runs
 * before anything imports the module, because named imports are bound then.
 */
import process from "node:process";
import type { TemporaryPaths } from "./paths.ts";

type Call = (...args: unknown[]) => unknown;
type Table = Record<string, unknown>;

/** Functions whose first argument is a path. */
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
/** Functions that return a path, or nothing. */
const GIVING = new Set(["mkdir", "mkdtemp", "realpath"]);

export function redirectNodeFiles(paths: TemporaryPaths): void {
  // An import would bind the names too early.
  const fs = process.getBuiltinModule("node:fs") as unknown as Table & { promises: Table };
  for (const name of CALLS) {
    const giving = GIVING.has(name);
    redirect(fs, name, giving, paths);
    redirect(fs, `${name}Sync`, giving, paths);
    redirect(fs.promises, name, giving, paths);
  }
  for (const name of STREAMS) redirect(fs, name, false, paths);
}

function redirect(table: Table, name: string, giving: boolean, paths: TemporaryPaths): void {
  const original = table[name];
  if (typeof original !== "function") return;
  // A proxy, because some functions have properties that are functions.
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
