/** Owns the file of a project's configuration: config.toml, or config.json(c), which the Supabase CLI reads since 3. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml, TomlError } from "smol-toml";
import { parseJsonc } from "../core/jsonc.ts";
import { isRecord } from "../core/record.ts";

/** The first that is there is read: the CLI prefers JSON, too. */
export const CONFIG_FILES = ["config.json", "config.jsonc", "config.toml"];

/** The names of the files that are there; the first one counts. */
export function configFiles(supabaseFolder: string): string[] {
  return CONFIG_FILES.filter((name) => existsSync(join(supabaseFolder, name)));
}

/** The name of the file that is read; config.toml without one. */
export function configFile(supabaseFolder: string): string {
  return configFiles(supabaseFolder)[0] ?? "config.toml";
}

/** The file's text; empty without one. */
export function readConfigFile(supabaseFolder: string): string {
  const [name] = configFiles(supabaseFolder);
  return name === undefined ? "" : readFileSync(join(supabaseFolder, name), "utf8");
}

/** An example as the project's file would have it. @param toml the example in TOML */
export function asWritten(file: string, toml: string): string {
  return file.endsWith(".toml") ? toml : JSON.stringify(parseToml(toml), null, 2);
}

/** @throws Error whose message says what is wrong, and where. */
export function parseConfigFile(name: string, text: string): Record<string, unknown> {
  if (name.endsWith(".toml")) {
    try {
      return parseToml(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new Error(`is not valid TOML: ${error.message}`, { cause: error });
    }
  }
  if (text.trim() === "") return {};
  try {
    const value = parseJsonc(text);
    if (isRecord(value)) {
      // For editors.
      const { $schema: _, ...settings } = value;
      return settings;
    }
  } catch (error) {
    throw new Error(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  throw new Error("is no JSON object.");
}
