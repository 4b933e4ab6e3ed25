/** Owns telling, while a stack runs, that `supabase/config.toml` has other settings than the stack has read. */
import { dirname, join } from "node:path";
import { type Config, ConfigError, loadConfig } from "../../../config/config.ts";
import { configFile, readConfigFile } from "../../../config/config-file.ts";
import { errorBoundary } from "../../../core/error-boundary.ts";
import { FolderWatch } from "../../../core/folder-watch.ts";
import type { Log } from "../../../core/log.ts";
import { isRecord } from "../../../core/record.ts";
import { QUIET_MS } from "../../../developer/migration-watch.ts";

/** Calls `tell` with a sentence after each change of the file's settings. @returns a function that stops watching. */
export function watchConfig(
  { projectFolder: from, supabaseFolder }: Config,
  tell: (text: string) => void,
  log: Log,
): () => void {
  const file = join(supabaseFolder, configFile(supabaseFolder));
  const before = readConfigFile(supabaseFolder);
  let told = "";
  const look = errorBoundary(log, "the watch on config.toml", () => {
    const text = changeOf(from, before);
    if (text !== told && text !== "") tell(text);
    told = text;
  });
  let timer: NodeJS.Timeout | undefined;
  const watch = new FolderWatch(supabaseFolder, {
    root: dirname(supabaseFolder),
    changed: (path) => {
      if (path !== supabaseFolder && path !== file) return;
      clearTimeout(timer);
      timer = setTimeout(look, QUIET_MS);
    },
    otherwise: "Changes of config.toml are not told.",
    log,
  });
  return () => {
    clearTimeout(timer);
    watch.close();
  };
}

/** What the file says now that the running stack has not; empty when nothing. */
function changeOf(folder: string, before: string): string {
  try {
    const now = loadConfig({ named: folder });
    const running = loadConfig({ named: folder, text: before });
    const keys = differing(settingsOf(running), settingsOf(now));
    const warnings = now.warnings.filter((one) => !running.warnings.includes(one));
    if (keys.length > 0)
      warnings.push(
        `supabase/${configFile(now.supabaseFolder)} has changed (${keys.join(", ")}). This stack goes on with the settings of its start: to use the new ones, stop it with homebase stop and start it again.`,
      );
    return warnings.join("\n");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `supabase/${configFile(join(folder, "supabase"))} can no longer be read, and the next start would end with this. This stack goes on with the settings of its start.\n${error.message}`;
  }
}

type Settings = Record<string, unknown>;

function settingsOf({ warnings, ignored, environment, ...settings }: Config): Settings {
  return settings;
}

/** Names of settings, never their values, which may be secrets. */
function differing(before: Settings, now: Settings, above = ""): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((name) => {
    const [was, is] = [before[name], now[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const path = above === "" ? name : `${above}.${name}`;
    return isRecord(was) && isRecord(is) ? differing(was, is, path) : [path];
  });
}
