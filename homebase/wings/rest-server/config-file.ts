/**
 * Owns PostgREST's configuration files: `name = value` lines, with comments, groups and references to
 * environment variables (PostgREST documentation, "Config File"; the format of Haskell's configurator).
 */
import { readFileSync } from "node:fs";
import { SettingError } from "../../src/rest/postgrest-settings.ts";

const LINE = /^([A-Za-z][\w.-]*)\s*=\s*(.*)$/;
const GROUP = /^([A-Za-z][\w.-]*)\s*\{$/;
const TEXT = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/;
const BARE = /^([^\s#"]+)\s*(?:#.*)?$/;

/**
 * Reads a file's settings, by their names in it: `db-uri`, `app.settings.colour`.
 * @throws SettingError whose message begins with the path.
 */
export function readConfigFile(path: string, environment: NodeJS.ProcessEnv): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return parseConfigFile(text, environment);
  } catch (error) {
    throw error instanceof SettingError ? new SettingError(`${path}: ${error.message}.`) : error;
  }
}

/** @throws SettingError whose message begins with the line number. */
export function parseConfigFile(text: string, environment: NodeJS.ProcessEnv): Map<string, string> {
  const found = new Map<string, string>();
  const groups: string[] = [];
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trim();
    if (line === "" || line.startsWith("#")) continue;
    const group = GROUP.exec(line);
    if (group) groups.push(`${group[1]}.`);
    else if (line === "}" && groups.length > 0) groups.pop();
    else {
      const [, name, rest = ""] = LINE.exec(line) ?? [];
      const value = readValue(rest, environment);
      if (name === undefined || value === undefined) {
        throw new SettingError(`line ${index + 1} is not of the form name = value`);
      }
      found.set(groups.join("") + name, value);
    }
  }
  if (groups.length > 0) throw new SettingError(`the group ${groups[0]} is not closed`);
  return found;
}

function readValue(rest: string, environment: NodeJS.ProcessEnv): string | undefined {
  const quoted = TEXT.exec(rest)?.[1];
  if (quoted === undefined) {
    const bare = BARE.exec(rest)?.[1];
    if (bare === undefined || !/^(?:true|false|on|off|-?\d+(?:\.\d+)?)$/.test(bare)) return undefined;
    return bare === "on" ? "true" : bare === "off" ? "false" : bare;
  }
  return interpolate(withoutEscapes(quoted), environment);
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r" };

function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code?: string, character = "") =>
    code === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** `$(NAME)` is a variable of the environment, `$$` a dollar sign. */
function interpolate(text: string, environment: NodeJS.ProcessEnv): string {
  return text.replace(/\$(?:\$|\(([^)]*)\)|)/g, (whole, name?: string) => {
    if (whole === "$$") return "$";
    const value = name === undefined ? undefined : environment[name];
    if (value === undefined) throw new SettingError(`${whole} is not a variable of the environment`);
    return value;
  });
}
