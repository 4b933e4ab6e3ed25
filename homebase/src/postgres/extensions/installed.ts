/** Owns classifying the extensions installed in a database. */
import type { Database } from "../database.ts";
import { type ExtensionEntry, extensionEntry } from "./classes.ts";
import { systemExtensions } from "./system.ts";

/** An extension in a database. */
export interface InstalledExtension extends ExtensionEntry {
  readonly version: string;
}

/**
 * The extensions in a database by name. Those from this machine, and those that hosted does not offer, are
 * real.
 */
export async function installedExtensions(database: Database): Promise<InstalledExtension[]> {
  const { rows } = await database.query<{ name: string; version: string }>(
    "postgres",
    "select extname as name, extversion as version from pg_extension order by extname",
  );
  const system = new Set(systemExtensions().names);
  return rows.map(({ name, version }) => {
    const entry = extensionEntry(name);
    return entry && !system.has(name) ? { ...entry, version } : { name, class: "real", differs: "", version };
  });
}
