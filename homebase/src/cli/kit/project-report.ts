/**
 * Owns the report on a project before it is started: what is used, what is replaced by a stand-in, what is
 * ignored.
 */
import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { listFunctions } from "../../functions/project-functions.ts";
import { type WantedExtension, wantedExtensions } from "../../postgres/extensions/uses.ts";
import { ProjectFileError } from "../../postgres/files/errors.ts";
import { readMigrations, readSeeds, unmatchedSeedPatterns } from "../../postgres/files/project-files.ts";

export interface ProjectReport {
  projectFolder: string;
  /** Whether there is a `supabase/` folder. */
  found: boolean;
  migrations: number;
  seeds: number;
  functions: string[];
  extensions: WantedExtension[];
  /** Keys of config.toml that have no effect here. */
  ignoredKeys: readonly string[];
  /** Names of functions' secrets whose variable is not set. */
  unsetSecrets: string[];
  /** Unknown keys, unresolved `env()`, files that cannot be read. */
  warnings: string[];
}

/** Reads a project's files; changes nothing. */
export function reportOn(config: Config): ProjectReport {
  const report: ProjectReport = {
    projectFolder: config.projectFolder,
    found: existsSync(config.supabaseFolder),
    migrations: 0,
    seeds: 0,
    functions: config.edge_runtime.enabled ? listFunctions(config) : [],
    extensions: [],
    ignoredKeys: config.ignored,
    unsetSecrets: Object.keys(config.edge_runtime.secrets).filter((name) =>
      /^env\(.+\)$/.test(config.edge_runtime.secrets[name] ?? ""),
    ),
    warnings: [...config.warnings],
  };
  try {
    report.warnings.push(...unmatchedSeedPatterns(config).map(unmatchedSeed));
    const migrations = readMigrations(config);
    report.migrations = migrations.length;
    report.seeds = readSeeds(config).length;
    report.extensions = wantedExtensions(migrations);
  } catch (error) {
    if (!(error instanceof ProjectFileError)) throw error;
    report.warnings.push(error.describe());
  }
  return report;
}

/** A pattern of `[db.seed] sql_paths` without a file, and a way on. */
export function unmatchedSeed(pattern: string): string {
  return `No file matches ${pattern} ([db.seed] sql_paths in the project's configuration): create one, or remove the pattern.`;
}

/** The report in a few lines for a terminal: surprises are explained, the rest is counted. */
export function reportLines(report: ProjectReport): [label: string, text: string][] {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? "" : "s"}`;
  const uses = [
    count(report.migrations, "migration"),
    count(report.seeds, "seed file"),
    count(report.functions.length, "function"),
  ];
  const where = report.found
    ? ""
    : ": no supabase/ folder here or above, so an empty project (homebase init makes one)";
  const lines: [string, string][] = [["Project", `${report.projectFolder}${where}`]];
  if (report.found) lines.push(["Uses", uses.join(", ")]);
  return lines;
}

/** Settings without effect, for `homebase doctor`. A start warns only of those that the project may count on. */
export function unusedLines({ ignoredKeys, unsetSecrets }: ProjectReport): [label: string, text: string][] {
  const lines: [string, string][] = [];
  if (ignoredKeys.length > 0) lines.push(["Ignored", `${ignoredKeys.join(", ")} in the configuration`]);
  if (unsetSecrets.length > 0)
    lines.push([
      "Not set",
      `${unsetSecrets.join(", ")} of [edge_runtime.secrets]: functions do not get them`,
    ]);
  return lines;
}

/** The classes of the project's extensions, for a terminal. A start reports each when it is created. */
export function extensionLines({ extensions }: ProjectReport): [label: string, text: string][] {
  const named = (kind: WantedExtension["class"]) => extensions.filter((one) => one.class === kind);
  const list = (kind: WantedExtension["class"]) =>
    named(kind)
      .map(({ name, differs }) => (differs ? `${name} (${differs})` : name))
      .join("; ");
  const lines: [string, string][] = [];
  if (named("stand-in").length > 0) lines.push(["Emulated", list("stand-in")]);
  if (named("inert").length > 0) lines.push(["Inert", list("inert")]);
  for (const kind of ["refused", "unknown"] as const) {
    for (const { name, file, line } of named(kind)) {
      lines.push(["Unavailable", `extension ${name}, created by ${file}:${line}: the migration will fail`]);
    }
  }
  return lines;
}
