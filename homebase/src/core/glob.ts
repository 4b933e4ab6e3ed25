/** Owns finding files and folders by a pattern, on every Node on which tests may run. */
import { globSync } from "tinyglobby";

/**
 * The files, or with `folders` the folders, that match, by their paths from `folder`, in no particular order.
 * Names that begin with a dot are matched by patterns that say so.
 * @param options.ignored patterns of what is not searched.
 * @param options.links whether links to folders are followed, also out of `folder`.
 */
export function glob(
  pattern: string,
  folder: string,
  {
    folders = false,
    ignored = [],
    links = true,
  }: { folders?: boolean; ignored?: readonly string[]; links?: boolean } = {},
): string[] {
  const found = globSync(pattern, {
    cwd: folder,
    expandDirectories: false,
    ignore: [...ignored],
    followSymbolicLinks: links,
    ...(folders ? { onlyDirectories: true } : {}),
  });
  return found.map((path) => path.replace(/\/$/, ""));
}
