/** Owns `homebase doctor`: checks this machine and project before a start. Changes nothing. */
import { existsSync, statfsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { neededPorts } from "../../backend/port-choice.ts";
import { portFree, portHolder } from "../../backend/ports.ts";
import type { Config } from "../../config/config.ts";
import { cachedRuntime } from "../../core/runtime.ts";
import { packageFolder } from "../../postgres/cluster/binaries.ts";
import { refuseUntrusted, UntrustedFolder } from "../../postgres/cluster/state-folder.ts";
import { control } from "../control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../options.ts";
import { controlSocketPath } from "../state.ts";
import { CommandError, paint, table } from "../terminal.ts";
import { ownVersion } from "../version.ts";
import { extensionLines, type ProjectReport, reportLines, reportOn } from "./report.ts";

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
  /** Problems that prevent a start. */
  problems: string[];
}

export const doctor: Command = {
  help: `Usage: homebase doctor [options]

Shows what a start would use, emulate and ignore: versions, ports, disk, functions, the extensions that
migrations create, keys of config.toml without effect. Starts and changes nothing. Exits with 1 when a start
would fail.

Options:
${sharedHelp}

Examples:
  homebase doctor
  homebase doctor --json | jq .extensions`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const report = await examine(configFor(values));
    if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    else process.stdout.write(`${describe(report)}\n`);
    if (report.problems.length > 0) {
      throw new CommandError(report.problems.join("\n"));
    }
  },
};

async function examine(config: Config): Promise<Report> {
  const running = (await control(controlSocketPath(config), "status").catch(() => undefined)) !== undefined;
  const ports = await Promise.all(
    neededPorts(config).map(async ([port, purpose]) => {
      const free = await portFree(port);
      const holder = free ? undefined : portHolder(port);
      return { port, purpose, free, ...(holder ? { holder } : {}) };
    }),
  );
  const { bavail, bsize } = statfsSync(config.projectFolder);
  const freeMegabytes = Math.floor((bavail * bsize) / 1024 ** 2);
  const postgres = postgresVersion();
  const report = reportOn(config);
  const problems = stateProblems(config.projectFolder);
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

/** Why a start would not use the project's `.homebase/`. */
function stateProblems(projectFolder: string): string[] {
  try {
    refuseUntrusted(projectFolder);
    return [];
  } catch (error) {
    if (error instanceof UntrustedFolder) return [error.message];
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
    ...extensionLines(report),
    ...report.extensions.map(({ name, class: kind }): [string, string] => ["Extension", `${name}: ${kind}`]),
    ...report.warnings.map((text): [string, string] => ["Warning", paint("yellow", text)]),
  ];
  const verdict = report.problems.length === 0 ? `${paint("green", "Ready to start.")}\n` : "";
  return `${verdict}${table(rows)}`;
}
