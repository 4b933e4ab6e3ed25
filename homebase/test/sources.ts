/** Owns reading the sources of Homebase in tests: the core's by their paths below `src`, those of wings by `wings/<name>/...`. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const HOMEBASE = join(import.meta.dirname, "..");

/** The paths of all sources that are not tests, sorted. */
export function sourceFiles(endings = "ts"): string[] {
  const found = globSync([`src/**/*.${endings}`, `wings/**/*.${endings}`], {
    cwd: HOMEBASE,
    exclude: ["wings/*/test/**"],
  });
  return found
    .map((path) =>
      path
        .split("\\")
        .join("/")
        .replace(/^src\//, ""),
    )
    .sort();
}

/** The text of a file of `sourceFiles`. */
export function sourceText(file: string): string {
  return readFileSync(join(HOMEBASE, file.startsWith("wings/") ? "" : "src", file), "utf8");
}

/** The sources whose text matches. */
export function sourcesWith(text: RegExp): string[] {
  return sourceFiles().filter((file) => text.test(sourceText(file)));
}
