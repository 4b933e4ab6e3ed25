/** Runs inside a function's own Deno process: maps /tmp to a folder (docs/compat/functions.md 6). */

const TMP = "/tmp";

/** Converts a function's paths to those of the machine, and back. Other values are unchanged. */
export interface TemporaryPaths {
  inside(path: unknown): unknown;
  outside(path: unknown): unknown;
  /** Replaces the folder in an error's texts. @returns the same error */
  outsideError(error: unknown): unknown;
  /** Calls a file function: what it throws names the function's paths, and so does what `give` returns. */
  call(run: () => unknown, give?: (result: unknown) => unknown): unknown;
}

/** The members of an error that name paths: those of every error, and of Node's. */
const TEXTS = ["stack", "message", "path", "dest"] as const;

/**
 * @param temporary the folder used as /tmp.
 * @param own the function's folders, which are not redirected even if they are below /tmp.
 */
export function temporaryPaths(temporary: string, own: readonly string[]): TemporaryPaths {
  const below = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
  const inside = (path: unknown): unknown => {
    if (path instanceof URL)
      return path.protocol === "file:" ? inside(decodeURIComponent(path.pathname)) : path;
    if (typeof path !== "string") return path;
    if (!below(path, TMP) || own.some((folder) => below(path, folder))) return path;
    return temporary + path.slice(TMP.length);
  };
  const outside = (path: unknown): unknown =>
    typeof path === "string" && below(path, temporary) ? TMP + path.slice(temporary.length) : path;
  const outsideError = (error: unknown): unknown => {
    if (!(error instanceof Error)) return error;
    const texts = error as Error & Partial<Record<(typeof TEXTS)[number], unknown>>;
    for (const name of TEXTS) {
      const text = texts[name];
      if (typeof text === "string" && text.includes(temporary)) texts[name] = text.replaceAll(temporary, TMP);
    }
    return error;
  };
  const call: TemporaryPaths["call"] = (run, give = (result) => result) => {
    const fail = (error: unknown): never => {
      throw outsideError(error);
    };
    try {
      const result = run();
      return result instanceof Promise ? result.then(give, fail) : give(result);
    } catch (error) {
      return fail(error);
    }
  };
  return { inside, outside, outsideError, call };
}
