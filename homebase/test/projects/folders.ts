/** Owns the list of the folders here, each with a project in the style of other people's. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

export const HERE = import.meta.dirname;

export const names = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The folder that has `supabase/`: in a monorepo that of one package. */
export function folderOf(name: string): string {
  return join(HERE, name, ...(name === "monorepo" ? ["packages", "database"] : []));
}
