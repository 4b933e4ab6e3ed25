/** Owns `homebase doctor`: checks this machine and project before a start. Changes nothing without --write. */
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { cachedRuntime } from "../../../core/runtime.ts";
import { equalPorts, freeOffset, neededPorts } from "../../../developer/port-choice.ts";
import { remainingTimeWait } from "../../../developer/port-wait.ts";
import { portFree, portHolder } from "../../../developer/ports.ts";
import type { StackWing } from "../../../developer/stack-wing.ts";
import { packageFolder } from "../../../postgres/cluster/binaries.ts";
import { Cluster } from "../../../postgres/cluster/cluster.ts";
import { DataFolderError, inspectDataFolder } from "../../../postgres/cluster/data-folder.ts";
import { refuseUntrusted, stateFolderOf } from "../../../postgres/cluster/state-folder.ts";
import { type FileProblem, ProjectFileError } from "../../../postgres/files/errors.ts";
import {
  duplicateVersions,
  readMigrations,
  readRolesFile,
  readSeeds,
} from "../../../postgres/files/project-files.ts";
import { summaryOf, usedLines } from "../../../tools/folder-summary.ts";
import type { UsedInBody } from "../../../tools/used-in-bodies.ts";
import { control } from "../../kit/control.ts";
import { type Command, configFor, demandedOffset, parseOptions, sharedHelp } from "../../kit/options.ts";
import { ownVersion } from "../../kit/own-version.ts";
import {
  extensionLines,
  type ProjectReport,
  reportLines,
  reportOn,
  unusedLines,
} from "../../kit/project-report.ts";
import { controlSocketPath } from "../../kit/state.ts";
import { CommandError, endProgress, paint, progress, table } from "../../kit/terminal.ts";
import type { Repair } from "./repair.ts";

/** A first start writes about 120 MB; Postgres needs more than that. */
const LEAST_FREE_MB = 500;

interface Report extends ProjectReport {
  homebase: string;
  node: string;
  platform: string;
  postgres: string | undefined;
  deno: "installed" | "downloaded when a function is first needed";
  running: boolean;
  freeMegabytes: number;
  ports: { port: number; purpose: string; free: boolean; holder?: string }[];
  /** Problems that prevent a start, or with which it ends with 1. */
  problems: string[];
  /** The files that cannot be applied; with `--migrations` only. */
  failing?: FileProblem[];
  /** What is wrong with them in ten lines at most. */
  summary?: string[];
  /** Objects that bodies of functions alone use, and no file makes; with `--migrations` only. */
  usedInFunctions?: UsedInBody[];
  /** What a repair was going to do and what it has done; with `--write` only. */
  repair?: Repair;
}

export const doctor: Command = {
  help: `Usage: homebase doctor [options]

Shows what a start would use, emulate and ignore: versions, ports, disk, functions, the extensions that
migrations create, keys of config.toml without effect; whether ports are free and the folder can be written.
Starts nothing, and changes nothing without --write. Exits with 1 when a start would fail.

With --migrations it runs roles.sql, every migration and the seed in a Postgres of its own, which is removed
afterwards, and tells for each file that fails what is wrong: an object that no file creates, files in the wrong order,
an object that is created twice. A file that fails is undone, and the next one is tried; where its statements are in the
wrong order, the lines to move are told. Then the bodies of functions are looked at, and what they use and no file makes is
a warning, as a start does not fail by it. It ends with what is wrong with the whole folder, in ten lines at most.

With --write it repairs what can be repaired without knowing more than the files. It writes a migration, the first one,
with the tables, types, functions and roles that files use and none makes, as far as statements show them: guessed, each
with the place it is guessed from (homebase db pull --db-url gives the real ones). Columns, policies and constraints that
a table of the files lacks are added before the file that needs them. It renames migrations whose version stands twice,
and those that have to run earlier, moves statements within a file, and copies an SQL file that makes what migrations use
and is none. It shows the plan, asks, overwrites no other file, and refuses where git could not undo it. Interrupted, it
goes on when it is run again.

Options:
  --migrations       find every file that cannot be applied
  --write            repair the folder: write the missing migration, rename files
  --yes              do it without asking
${sharedHelp}

Examples:
  homebase doctor
  homebase doctor --migrations
  homebase doctor --write
  homebase doctor --json | jq .extensions`,
  run: async (args, wings) => {
    const { values } = parseOptions(args, {
      migrations: { type: "boolean" },
      write: { type: "boolean" },
      yes: { type: "boolean" },
    });
    if (values.yes && !values.write) throw new CommandError("--yes is for --write.", 2);
    const config = configFor(values);
    const repaired = values.write ? await repairFiles(config, values) : undefined;
    const report = await examine(config, demandedOffset(values) === undefined, wings);
    if (repaired) report.repair = repaired;
    if (values.migrations || values.write) {
      if (!values.json) progress("Running the migrations");
      const { failing, used } = await tryFiles(config).finally(endProgress);
      report.failing = failing.map((error) => error.problem());
      report.summary = summaryOf(report.failing);
      report.usedInFunctions = used;
      report.warnings.push(...usedLines(used));
      const described = failing.map((error) => error.describe());
      report.problems = [...new Set([...report.problems, ...described])];
    }
    if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else process.stdout.write(`${describe(report)}\n`);
    if (report.problems.length > 0) {
      const short = report.summary?.map((line) => `\n  ${line}`).join("") ?? "";
      const way = !values.write && (report.failing ?? []).some(isRepairable) ? REPAIR : "";
      throw new CommandError(
        `${report.problems.join("\n")}${short === "" ? "" : `\n\nIn short:${short}${way}`}`,
      );
    }
  },
};

const REPAIR = "\nWhat the files themselves show is repaired by: homebase doctor --write";

const isRepairable = ({ fault, message }: FileProblem) =>
  fault === "created-nowhere" ||
  fault === "extension-missing" ||
  fault === "not-a-migration" ||
  fault === "wrong-order" ||
  message.startsWith("It has the same version");

async function repairFiles(
  config: Config,
  { yes = false, json = false }: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<Repair> {
  if (await isRunning(config))
    throw new CommandError("The stack is running and reads these files. Stop it first: homebase stop");
  const { repair } = await import("./repair.ts");
  return repair(config, { yes, json });
}

/** The files that cannot be applied, and what only functions use, found in a Postgres of its own. */
async function tryFiles(config: Config): Promise<{ failing: ProjectFileError[]; used: UsedInBody[] }> {
  const [{ withTemporaryCluster }, { failingFiles }, { usedInBodies }] = await Promise.all([
    import("../../../tools/temporary.ts"),
    import("../../../tools/migration-check.ts"),
    import("../../../tools/used-in-bodies.ts"),
  ]);
  const files = readMigrations(config);
  let used: UsedInBody[] = [];
  const failing = await withTemporaryCluster(config, (cluster) =>
    failingFiles(cluster, config, files, async (database) => {
      used = await usedInBodies(database, [...readRolesFile(config), ...files, ...readSeeds(config)]);
    }),
  );
  return { failing, used };
}

const isRunning = async (config: Config) =>
  (await control(controlSocketPath(config), "status").catch(() => undefined)) !== undefined;

/** @param choosePorts whether a start would look for free ports. */
async function examine(config: Config, choosePorts: boolean, wings: readonly StackWing[]): Promise<Report> {
  const running = await isRunning(config);
  const ports = await Promise.all(
    neededPorts(config, wings).map(async ([port, purpose]) => {
      const free = await portFree(port);
      const holder = free ? undefined : portHolder(port);
      return { port, purpose, free, ...(holder ? { holder } : {}) };
    }),
  );
  const { bavail, bsize } = statfsSync(config.projectFolder);
  const freeMegabytes = Math.floor((bavail * bsize) / 1024 ** 2);
  const postgres = postgresVersion();
  const report = reportOn(config);
  const problems = [
    ...stateProblems(config.projectFolder),
    ...(running ? [] : folderProblems(config.projectFolder)),
    ...fileProblems(config),
  ];
  const equal = equalPorts(config, wings);
  if (equal !== undefined) problems.push(equal);
  const taken = running
    ? []
    : ports.filter(({ port, free }) => !free && remainingTimeWait(port) === undefined);
  const offset = choosePorts && taken.length > 0 ? await freeOffset(config, wings) : undefined;
  for (const { port, purpose, holder = "another process" } of taken) {
    const text = `Port ${port} (${purpose}) is in use by ${holder}`;
    if (offset !== undefined) report.warnings.push(`${text}: a start takes ports ${offset} higher.`);
    else
      problems.push(
        `${text}: stop it, or choose other ports with --port-offset or in supabase/${config.file}.`,
      );
  }
  if (!postgres) problems.push("There is no Postgres for this machine: install without --omit=optional.");
  if (freeMegabytes < LEAST_FREE_MB) {
    problems.push(`Only ${freeMegabytes} MB are free on the disk of ${config.projectFolder}.`);
  }
  for (const { name, class: kind, file, line } of report.extensions) {
    if (kind === "refused" || kind === "unknown")
      problems.push(`${file}:${line} creates the extension ${name}, which is not available.`);
  }
  return {
    homebase: ownVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    postgres,
    deno: hasDeno() ? "installed" : "downloaded when a function is first needed",
    running,
    freeMegabytes,
    ports,
    ...report,
    problems,
  };
}

/** Whether a start could write what it keeps. */
function folderProblems(projectFolder: string): string[] {
  const state = stateFolderOf(projectFolder);
  const folder = existsSync(state) ? state : projectFolder;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "EROFS" ? "its file system is read-only" : "its permissions do not allow it";
    return [`${folder} cannot be written, and a start keeps its data there: ${reason}.`];
  }
}

/** Faults of the migrations that reading them finds. */
function fileProblems(config: Config): string[] {
  try {
    return duplicateVersions(readMigrations(config)).map((error) => error.describe());
  } catch (error) {
    if (error instanceof ProjectFileError) return [error.describe()];
    throw error;
  }
}

/** Why a start would not use the project's `.homebase/`. */
function stateProblems(projectFolder: string): string[] {
  try {
    refuseUntrusted(projectFolder);
    inspectDataFolder(Cluster.dataFolder(projectFolder));
    return [];
  } catch (error) {
    if (error instanceof DataFolderError) return [error.message];
    throw error;
  }
}

function postgresVersion(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url)(join(packageFolder(), "package.json")) as {
      version: string;
    };
    return manifest.version.split(".0-")[0];
  } catch {
    return undefined;
  }
}

function hasDeno(): boolean {
  if (cachedRuntime("deno")) return true;
  try {
    return existsSync(dirname(createRequire(import.meta.url).resolve("deno/package.json")));
  } catch {
    return false;
  }
}

function describe(report: Report): string {
  const rows: [string, string][] = [
    ["Homebase", `${report.homebase} on Node ${report.node}, ${report.platform}`],
    ["Postgres", report.postgres ?? paint("red", "not installed")],
    ["Deno", report.deno],
    ["Disk", `${report.freeMegabytes} MB free`],
    ...report.ports.map(({ port, purpose, free, holder }): [string, string] => [
      `Port ${port}`,
      `${purpose}: ${free ? "free" : report.running ? "in use by this project's stack" : `in use by ${holder ?? "another process"}`}`,
    ]),
    ...reportLines(report),
    ...unusedLines(report),
    ...extensionLines(report),
    ...report.extensions.map(({ name, class: kind }): [string, string] => ["Extension", `${name}: ${kind}`]),
    ...report.warnings.map((text): [string, string] => ["Warning", paint("yellow", text)]),
  ];
  const verdict = report.problems.length === 0 ? `${paint("green", "Ready to start.")}\n` : "";
  return `${verdict}${table(rows)}`;
}
