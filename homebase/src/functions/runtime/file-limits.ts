/**
 * Runs inside a function's own Deno process: limits Deno's file functions to those that the hosted runtime
 * allows, and gives the function its own /tmp, empty at its start and removed at its end
 * (docs/compat/functions.md 6).
 */

import { redirectNodeFiles } from "./node-files.ts";
import { temporaryPaths } from "./paths.ts";
import type { S3Files } from "./s3-files.ts";

type Call = (...args: unknown[]) => unknown;
declare const Deno: Record<string, unknown> & {
  errors: { PermissionDenied: new (message: string) => Error };
};

/** Functions whose first argument is a path. */
const ALLOWED = [
  "open",
  "create",
  "stat",
  "lstat",
  "realPath",
  "remove",
  "writeFile",
  "writeTextFile",
  "readFile",
  "readTextFile",
  "mkdir",
  "readDir",
];
/** Functions with a folder option. */
const MAKING = ["makeTempDir", "makeTempFile"];
/** Functions that return a path. */
const GIVING = new Set([...MAKING, "realPath"].flatMap((name) => [name, `${name}Sync`]));
/** Always allowed, with a warning: too much code reads its configuration this way. */
const TOLERATED = new Set(["readFileSync", "readTextFileSync"]);
const REFUSED = [
  "chdir",
  "chmod",
  "chown",
  "copyFile",
  "futime",
  "link",
  "readLink",
  "rename",
  "symlink",
  "truncate",
  "umask",
  "utime",
  "watchFs",
];
/**
 * Replaces Deno's file functions.
 * @param temporary the folder used as /tmp.
 * @param own the function's folders, which are not redirected even if they are below /tmp.
 * @param buckets the mounted buckets.
 * @param initialised whether the function's module has been evaluated: from then on synchronous functions are
 * forbidden.
 */
export function restrictFiles(
  temporary: string,
  own: readonly string[],
  buckets: S3Files,
  initialised: () => boolean,
): void {
  const paths = temporaryPaths(temporary, own);
  const { inside, outside, outsideError } = paths;
  redirectNodeFiles(paths);

  /** What a function may see of a result: paths and listings, whose errors come while they are read. */
  const given = (name: string): ((result: unknown) => unknown) | undefined => {
    if (name === "readDir") {
      return (listing) => ({
        async *[Symbol.asyncIterator]() {
          try {
            yield* listing as AsyncIterable<unknown>;
          } catch (error) {
            throw outsideError(error);
          }
        },
      });
    }
    return GIVING.has(name) ? outside : undefined;
  };
  const allow = (name: string, change: (original: Call, args: unknown[]) => unknown) => {
    const original = Deno[name];
    if (typeof original !== "function") return;
    const call = (original as Call).bind(Deno);
    const sync = name.endsWith("Sync");
    define(name, (...args: unknown[]) => {
      const [path, ...rest] = args;
      if (buckets.owns(path)) {
        if (sync) throw denied(`Deno.${name} cannot wait for a bucket; use the asynchronous form`);
        return buckets.calls[name]?.(path, ...(rest as never[]));
      }
      if (sync && initialised()) {
        if (!TOLERATED.has(name)) throw denied(`Deno.${name} is blocklisted on the current context`);
        console.warn(`Deno.${name} blocks every other request; use the asynchronous form.`);
      }
      return paths.call(() => change(call, args), given(name));
    });
  };
  for (const suffix of ["", "Sync"]) {
    for (const name of ALLOWED) {
      allow(name + suffix, (original, [path, ...rest]) => original(inside(path), ...rest));
    }
    for (const name of MAKING) {
      allow(name + suffix, (original, [options]) => {
        const { dir = "/tmp", ...rest } = (options ?? {}) as { dir?: string };
        return original({ ...rest, dir: inside(dir) });
      });
    }
    for (const name of REFUSED) {
      if (typeof Deno[name + suffix] !== "function") continue;
      define(name + suffix, () => {
        throw denied(`Deno.${name + suffix} is blocklisted`);
      });
    }
  }
}

function define(name: string, value: unknown): void {
  Object.defineProperty(Deno, name, { value, configurable: true, writable: true });
}

function denied(message: string): Error {
  return new Deno.errors.PermissionDenied(message);
}
