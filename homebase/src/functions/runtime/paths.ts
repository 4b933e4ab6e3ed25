/** Runs inside a function's own Deno process: maps /tmp to a folder (docs/compat/functions.md 6). */

const TMP = "/tmp";

/** Converts a function's paths to those of the machine, and back. Other values are unchanged. */
export interface TemporaryPaths {
  inside(path: unknown): unknown;
  outside(path: unknown): unknown;
}

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
  return { inside, outside };
}
