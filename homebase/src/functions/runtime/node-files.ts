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
    const give = GIVING.has(name) ? paths.outside : undefined;
    redirect(fs, name, paths, give);
    redirect(fs, `${name}Sync`, paths, give);
    redirect(fs.promises, name, paths, give);
  }
  for (const name of STREAMS) redirect(fs, name, paths, (stream) => withOwnErrors(stream as Stream, paths));
}

type Stream = { emit: Call };

/** A listener for errors would count as handling them, so they are changed on their way to the listeners. */
function withOwnErrors(stream: Stream, { outsideError }: TemporaryPaths): Stream {
  const { emit } = stream;
  stream.emit = (...event) => Reflect.apply(emit, stream, event.map(outsideError));
  return stream;
}

function redirect(
  table: Table,
  name: string,
  paths: TemporaryPaths,
  give: ((result: unknown) => unknown) | undefined,
): void {
  const original = table[name];
  if (typeof original !== "function") return;
  // A proxy, because some functions have properties that are functions.
  table[name] = new Proxy(original as Call, {
    apply(call, self, [path, ...rest]: unknown[]) {
      const last = rest.at(-1);
      if (typeof last === "function") {
        rest[rest.length - 1] = (error: unknown, ...given: unknown[]) =>
          last(paths.outsideError(error), ...(give ? given.map(give) : given));
      }
      return paths.call(() => Reflect.apply(call, self, [paths.inside(path), ...rest]), give);
    },
  });
}
