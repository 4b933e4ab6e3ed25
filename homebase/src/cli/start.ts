/** Owns `homebase start`: the stack in the foreground until it is told to stop. */

import { DeveloperStack, PortHeld } from "../backend/developer-stack.ts";
import { logFile } from "../backend/log-file.ts";
import type { Notice } from "../backend/project-database.ts";
import { ConfigError } from "../config/config.ts";
import { createLog, type LogEntry } from "../core/log.ts";
import { PortTaken } from "../http/server.ts";
import { ClusterError } from "../postgres/server-process.ts";
import type { RealtimeFigures, RealtimeService } from "../realtime/service.ts";
import { serveControl } from "./control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "./options.ts";
import { controlSocketPath, logPath, readState, removeState, writeState } from "./state.ts";
import { CommandError, endProgress, paint, progress, table } from "./terminal.ts";
import { statusVariables } from "./variables.ts";

const PARENT_CHECK_MS = 300;

export const start: Command = {
  summary: "start the stack and keep it running until Ctrl+C",
  help: `Usage: homebase start [options]

Starts Postgres, REST, auth, storage, realtime, functions and the inbox for the supabase/ folder found
from here upwards, applies new migrations in place (also whenever one is saved), and runs until Ctrl+C.
Data stays in .homebase/ for the next start.

Options:
  --end-with PID     stop when that process is gone, however it ended
  --brief            leave out the addresses, for callers that say them themselves
  --inspect          run functions with an inspector each, from [edge_runtime] inspector_port (8083) on;
                     their limits are off
  --keyless          let requests without an API key through as anonymous, as the Supabase CLI's stack does
${sharedHelp}`,
  run,
};

async function run(args: string[]): Promise<void> {
  const { values } = parseOptions(args, {
    keyless: { type: "boolean" },
    inspect: { type: "boolean" },
    brief: { type: "boolean" },
    "end-with": { type: "string" },
  });
  const config = { ...configFor(values), ...(values.inspect ? { inspectFunctions: true } : {}) };
  const began = performance.now();
  await refuseSecond(config);
  for (const warning of config.warnings)
    say(values.json, { kind: "warning", text: warning }, paint("yellow", warning));

  const file = logFile(logPath(config));
  const log = createLog("homebase", (entry) => {
    file.sink(entry);
    if (!values.json && worthShowing(entry)) process.stdout.write(`${logLine(entry)}\n`);
  });
  // Nothing is known to get here; if something does, the developer's stack goes on and the log has it.
  process.on("unhandledRejection", (reason) =>
    log.error("A promise failed unheard.", { error: String(reason) }),
  );
  const { promise: told, resolve: tellToStop } = Promise.withResolvers<void>();
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(130); // Asked twice: the developer does not want to wait.
    stopping = true;
    progress("Stopping");
    tellToStop();
  };
  // From the very beginning: what is half started is stopped as carefully as what runs.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);

  if (values["end-with"] !== undefined) endWith(Number(values["end-with"]), stop);

  const stack = await DeveloperStack.start({
    config,
    log,
    keylessAllowed: values.keyless ?? false,
    onProgress: values.json ? undefined : progress,
    onNotice: (notice) => {
      endProgress();
      say(values.json, noticeJson(notice), noticeText(notice));
    },
  } as Parameters<typeof DeveloperStack.start>[0]).catch(async (error: unknown) => {
    endProgress();
    await file.end();
    throw readable(error);
  });
  endProgress();

  const variables = statusVariables(config, stack.backend.keys, stack.backend.url);
  const socket = controlSocketPath(config.projectFolder);
  const server = await serveControl(socket, {
    status: async () => ({ pid: process.pid, variables, realtime: await realtimeFigures(stack.backend) }),
    migrate: () => stack.migrate(),
    reset: () => stack.reset(),
    stop: async () => setImmediate(stop),
  });
  writeState(config, { pid: process.pid, startedAt: new Date().toISOString(), controlSocket: socket });
  const milliseconds = Math.round(performance.now() - began);
  say(
    values.json,
    { kind: "ready", milliseconds, variables },
    readyText(variables, milliseconds, values.brief ?? false),
  );

  await told;
  await stack.stop();
  server.close();
  removeState(config);
  await file.end();
  endProgress();
  process.exit(0);
}

/** Undefined while realtime is switched off, or its database is being replaced. */
async function realtimeFigures(backend: DeveloperStack["backend"]): Promise<RealtimeFigures | undefined> {
  const service = backend.service("realtime") as Partial<RealtimeService> | undefined;
  return service?.figures?.().catch(() => undefined);
}

/** Calls `stop` once when a process is gone: a parent that is killed cannot tell its children. */
function endWith(pid: number, stop: () => void): void {
  if (!Number.isInteger(pid) || pid <= 0) throw new CommandError("--end-with takes a process id.", 2);
  const watch = setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      clearInterval(watch);
      stop();
    }
  }, PARENT_CHECK_MS);
  watch.unref();
}

async function refuseSecond(config: ReturnType<typeof configFor>): Promise<void> {
  const { control } = await import("./control.ts");
  const running = await control<{ pid: number }>(controlSocketPath(config.projectFolder), "status");
  if (running) {
    throw new CommandError(
      `This project's stack is running already (process ${running.pid}).\n` +
        "See it with: homebase status. Stop it with: homebase stop.",
    );
  }
  if (readState(config)) removeState(config);
}

/** What a developer wants to see while working; the rest is in `homebase logs`. */
function worthShowing(entry: LogEntry): boolean {
  return (
    entry.level === "warn" ||
    entry.level === "error" ||
    (entry.service === "functions" && entry.level === "info")
  );
}

/** One entry as one line. */
export function logLine(entry: LogEntry): string {
  const colour = entry.level === "error" ? "red" : entry.level === "warn" ? "yellow" : "dim";
  const fields = entry.fields ? ` ${paint("dim", JSON.stringify(entry.fields))}` : "";
  return `${paint("dim", entry.time.slice(11, 23))} ${paint(colour, entry.service.padEnd(9))} ${entry.message}${fields}`;
}

function say(json: boolean | undefined, event: unknown, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(event)}\n` : `${text}\n`);
}

function readyText(variables: Record<string, string>, milliseconds: number, brief: boolean): string {
  const headline = `${paint("green", "Homebase is ready")} ${paint("dim", `after ${(milliseconds / 1000).toFixed(2)} s`)}`;
  if (brief) return headline;
  const rows: [string, string][] = [["API", variables.API_URL ?? ""]];
  rows.push(["Database", variables.DB_URL ?? ""]);
  if (variables.MAILPIT_URL) rows.push(["Inbox", variables.MAILPIT_URL]);
  rows.push(["Key", variables.PUBLISHABLE_KEY ?? ""]);
  return `${headline}\n${table(rows)}`;
}

function noticeJson(notice: Notice): unknown {
  return notice.kind === "failed" ? { kind: "failed", description: notice.error.describe() } : notice;
}

function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case "applied":
      return `${paint("green", "Applied")} ${listed(notice.files)}`;
    case "seeded":
      return `${paint("green", "Seeded")} from ${notice.files.join(", ")}`;
    case "failed":
      return `${paint("red", "Not applied")}\n${notice.error.describe()}\nThe database is as it was before this file. Save it again to retry.`;
    case "edited":
      return (
        `${paint("yellow", "Edited after it was applied:")} ${notice.files.join(", ")}\n` +
        "  The database still has the earlier version. Ways on: put the change into a new migration; or\n" +
        "  homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "removed":
      return (
        `${paint("yellow", "Applied, but the file is gone:")} ${notice.versions.join(", ")}\n` +
        "  Ways on: bring the file back; homebase reset (your rows are lost); or forget the version with\n" +
        `  npx supabase migration repair --status reverted ${notice.versions.join(" ")} --remote=<database URL>`
      );
    case "other-base":
      return (
        `${paint("yellow", "This database was made by another version of Homebase.")}\n` +
        "  What auth, storage and realtime keep in it may lack something that this version needs. Way on:\n" +
        "  homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "restarted":
      return `${paint("yellow", notice.reason)} It was started again.`;
  }
}

/** A few files by name, many by their number and ends. */
function listed(files: readonly string[]): string {
  if (files.length <= 3) return files.join(", ");
  return `${files.length} migrations, ${files[0]} to ${files.at(-1)}`;
}

function readable(error: unknown): unknown {
  const known =
    error instanceof PortHeld ||
    error instanceof PortTaken ||
    error instanceof ClusterError ||
    error instanceof ConfigError;
  return known ? new CommandError(error.message) : error;
}
