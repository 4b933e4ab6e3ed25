/** Owns the version that `homebase --version` prints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The version in the package's own package.json. */
export function ownVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, "..", "..", "..", "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
