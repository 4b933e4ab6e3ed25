/** Owns `homebase start`: runs the stack in the foreground until it is stopped. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Config } from "../../../config/config.ts";
import { isProject, projectsBelow } from "../../../config/find-project.ts";
import { withMailCodes } from "../../../config/mail-codes.ts";
import { Happenings } from "../../../core/happenings.ts";
import { createLog, type LogEntry } from "../../../core/log.ts";
import { isAlive } from "../../../core/process-alive.ts";
import { DataLock } from "../../../developer/data-lock.ts";
import { DeveloperStack } from "../../../developer/developer-stack.ts";
import { logFile } from "../../../developer/log-file.ts";
import type { StackWing } from "../../../developer/stack-wing.ts";
import {
  type Command,
  configFor,
  demandedOffset,
  listed,
  parseOptions,
  type Refused,
  sharedHelp,
} from "../../kit/options.ts";
import { ownVersion } from "../../kit/own-version.ts";
import { reportLines, reportOn } from "../../kit/project-report.ts";
import { restartOnErrors } from "../../kit/restarts.ts";
import { logPath, ownControlSocket } from "../../kit/state.ts";
import { statusVariables } from "../../kit/status-variables.ts";
import { CommandError, endProgress, paint, progress, table } from "../../kit/terminal.ts";
import { watchConfig } from "./config-watch.ts";
import { controlCommands } from "./control-commands.ts";
import { writeEnvFile } from "./env-file.ts";
import { EXCLUDABLE, exclude } from "./excluded.ts";
import { noticeJson, noticeText } from "./notices.ts";
import { tellRefusals, type WhyOptions } from "./refusals.ts";
import { Timing } from "./timing.ts";

const PARENT_CHECK_MS = 300;

const REFUSED: Refused = {
  "ignore-health-check": "a start ends with an error only when a service cannot run; -x leaves one out.",
  "from-backup": "start, then restore the dump with psql.",
  "keep-going": "it is what a start does: it serves what could be applied. See homebase start --help.",
};

export const start: Command = {
  values: { exclude: EXCLUDABLE },
  help: `Usage: homebase start [options]

Starts Postgres, REST, auth, storage, realtime, functions and the inbox for the supabase/ folder found from here
upwards, or else for the only one below. Applies new migrations in place (also whenever one is saved), and runs until
Ctrl+C. Data stays in .homebase/ for the next start. If a file fails, the stack starts anyway with the files that could
be applied: later ones are neither run nor recorded, and the next save goes on from the one that failed. So there is no
--keep-going. The output and homebase status say what to do; the exit code is 1 unless the file was fixed meanwhile.
config.toml is read once: a change of it while the stack runs is said, and the next start applies it.

Unlike the Supabase CLI's, it stays in the foreground: end it with Ctrl+C or homebase stop.

Options:
  -x, --exclude LIST  leave out services, by the Supabase CLI's names, with commas; may be repeated: gotrue, realtime,
                     storage-api, imgproxy, postgrest, edge-runtime, mailpit, postgres-meta,
                     studio
  --end-with PID     stop when that process is gone, however it ended
  --brief            omit the addresses, for callers that print them
  --write-env        write address and keys into .env.local, under the names that .env.example and your sources read;
                     a secret key only where .env.example names it and git ignores the file
  --why              say under a refused request, and one whose rows row security hides, by which table and policy, at
                     most once a second; the line may quote rows, so it is in the terminal only
  --mail-code ADDRESS=CODE  mails to this address have this code, for tests of sign-ins; may be repeated
  --model-stand-in   let Supabase.ai's gte-small give 384 numbers made of hashed words, which know nothing of meaning;
                     without it running a model is refused
  --timing           print how long each step of the start took
  --inspect          run functions with an inspector each, from [edge_runtime] inspector_port (8083) on;
                     their limits are off
  --strict           reject statements in migrations that a hosted project rejects, instead of running them with a warning,
                     and say of requests to REST and Auth what hosted's versions do not know
  --keyless          let requests without an API key through as anonymous, and answer functions' preflights, as the
                     Supabase CLI's stack does
${sharedHelp}

Examples:
  homebase start
  homebase start --port-offset 100       # beside another stack
  homebase start --write-env --json      # for a script: one JSON object a line`,
  run,
};

async function run(args: string[], wings: readonly StackWing[]): Promise<void> {
  const options = {
    exclude: { type: "string", short: "x", multiple: true },
    keyless: { type: "boolean" },
    strict: { type: "boolean" },
    inspect: { type: "boolean" },
    "model-stand-in": { type: "boolean" },
    brief: { type: "boolean" },
    "mail-code": { type: "string", multiple: true },
    timing: { type: "boolean" },
    why: { type: "boolean" },
    "write-env": { type: "boolean" },
    "end-with": { type: "string" },
  } as const;
  const { values } = parseOptions(args, options, false, REFUSED);
  if (values.strict && values.keyless) {
    throw new CommandError(
      "--strict and --keyless contradict each other: hosted refuses a request without a key.",
      2,
    );
  }
  const timing = new Timing();
  timing.step("Reading the project");
  const config = {
    ...withMailCodes(configFor(values), mailCodesOf(values["mail-code"])),
    ...(values.inspect ? { inspectFunctions: true } : {}),
    ...(values["model-stand-in"] ? { modelStandIn: true } : {}),
    ...(values.strict ? { strict: true } : {}),
  };
  exclude(config, listed(values.exclude) ?? []);
  refuseWithoutProject(config);
  const parent = values["end-with"] === undefined ? undefined : parentPid(values["end-with"]);
  // Before the first access to .homebase/: another start may be using it.
  const lock = await DataLock.take(config.projectFolder, {
    command: "homebase start",
    ...(parent === undefined ? {} : { endWith: parent }),
  });
  const socket = ownControlSocket(config);
  await refuseSecond(socket);
  for (const warning of config.warnings) warn(values.json, warning);
  for (const [address, code] of Object.entries(config.mailCodes ?? {}))
    warn(values.json, `Mails to ${address} have the code ${code} (--mail-code).`);
  if (config.modelStandIn)
    warn(values.json, "Supabase.ai's gte-small gives numbers of hashed words (--model-stand-in).");
  // A failed start prints only its reason.
  let introduced = values.brief ?? false;
  const introduce = () => {
    if (introduced) return;
    introduced = true;
    const report = reportOn(config);
    say(values.json, { kind: "project", ...report }, table(reportLines(report)));
  };

  const happenings = new Happenings();
  const { log, file } = openLog(config, values.json, happenings);
  const unwatch = watchConfig(config, (text) => warn(values.json, text), log);
  const { promise: stopped, resolve: tellToStop } = Promise.withResolvers<void>();
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(130); // Asked twice: the developer does not want to wait.
    stopping = true;
    progress("Stopping");
    tellToStop();
  };
  // Registered first, so that a signal during the start also stops everything in order.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);

  if (parent !== undefined) endWith(parent, stop);

  const token = randomBytes(32).toString("base64url");
  const stack = await DeveloperStack.start({
    config,
    log,
    lock,
    keylessAllowed: values.keyless ?? false,
    choosePorts: demandedOffset(values) === undefined,
    wings,
    happenings,
    start: { token, logPath: logPath(config), version: ownVersion() },
    onProgress: (step) => {
      timing.step(step);
      if (!values.json) progress(step);
    },
    onWait: (text) => {
      if (!values.json) progress(text);
    },
    onNotice: (notice) => {
      endProgress();
      introduce();
      say(values.json, noticeJson(notice), noticeText(notice));
    },
  }).catch(async (error: unknown) => {
    endProgress();
    await file.end();
    lock.release();
    throw error;
  });
  endProgress();
  introduce();
  restartOnErrors(log, () => stack.restart());
  const { requests } = stack.backend;
  const why: WhyOptions = {
    explain: async (id) => {
      const { whyRequest } = await import("../../../tools/why-request.ts");
      const record = requests.withValues(id);
      return record && whyRequest(stack.backend, config, record);
    },
    tell: (text, id) => say(values.json, { kind: "why", id, text }, paint("yellow", text)),
  };
  tellRefusals(requests, log, values.why ? why : undefined);

  const variables = statusVariables(config, stack.backend.keys, stack.backend.url);
  const { serveControl } = await import("../../kit/control.ts");
  const commands = controlCommands(stack, { token, readConfig: () => configFor(values), stop, wings });
  const server = await serveControl(socket, commands);
  lock.say({ controlSocket: socket });
  const milliseconds = timing.sinceCall();
  if (values["write-env"]) {
    const { url, keys } = stack.backend;
    const { publishableKey, anonKey, secretKey, serviceRoleKey } = keys;
    const written = writeEnvFile(config.projectFolder, {
      url,
      publishableKey,
      anonKey,
      secretKey,
      serviceRoleKey,
    });
    const { path, names, leftOut } = written;
    say(
      values.json,
      { kind: "env-file", ...written },
      [`Wrote ${names.join(", ")} to ${path}`, ...leftOut].join("\n"),
    );
  }
  const missing = stack.migrated.failed?.file;
  say(
    values.json,
    { kind: "ready", milliseconds, variables, ...(missing === undefined ? {} : { notApplied: missing }) },
    readyText(variables, {
      milliseconds,
      brief: values.brief ?? false,
      missing,
      // Their links let in whoever has them: they are for a person, not for a file.
      beside: process.stdout.isTTY ? stack.beside.flatMap(({ lines }) => lines) : [],
    }),
  );
  if (values.timing) {
    const steps = timing.end();
    const rows = steps.map(({ name, milliseconds: taken }): [string, string] => [name, `${taken} ms`]);
    say(values.json, { kind: "timing", steps }, table(rows));
  }

  await stopped;
  unwatch();
  const unapplied = stack.unapplied !== undefined;
  await stack.stop();
  server.close();
  lock.release();
  await file.end();
  endProgress();
  // For scripts: exits with an error when some files could not be applied.
  process.exit(unapplied ? 1 : 0);
}

function mailCodesOf(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((one) => {
      const at = one.lastIndexOf("=");
      if (at < 0) throw new CommandError("--mail-code is ADDRESS=CODE, e.g. ana@example.com=123456.", 2);
      return [one.slice(0, at), one.slice(at + 1)];
    }),
  );
}

function parentPid(text: string): number {
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 0) throw new CommandError("--end-with takes a process id.", 2);
  return pid;
}

/** Calls `stop` once when a process has exited: a killed parent cannot notify its children. */
function endWith(pid: number, stop: () => void): void {
  const watch = setInterval(() => {
    if (isAlive(pid)) return;
    clearInterval(watch);
    stop();
  }, PARENT_CHECK_MS);
  watch.unref();
}

/** The lock's file may have been removed under a running stack; its control socket still responds. */
async function refuseSecond(socket: string): Promise<void> {
  // HTTP code is the slowest to load: load it after starting Postgres.
  if (!existsSync(socket)) return;
  const { control } = await import("../../kit/control.ts");
  const running = await control<{ pid: number }>(socket, "status");
  if (!running) return;
  throw new CommandError(
    `This project's stack is already running (pid ${running.pid}).\n` +
      "See it with: homebase status. Stop it with: homebase stop.",
  );
}

/** The log, which goes to a file as a whole, and to the terminal in part. */
function openLog(config: Config, json: boolean | undefined, happenings: Happenings) {
  const file = logFile(logPath(config), {
    onFailure: (reason) => warn(json, `The log file cannot be written: ${reason}`),
  });
  const log = createLog("homebase", (entry) => {
    file.sink(entry);
    happenings.logged(entry);
    if (!json && worthShowing(entry)) process.stdout.write(`${logLine(entry)}\n`);
  });
  return { log, file };
}

/** The entries shown while working; `homebase logs` has the rest. */
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

function warn(json: boolean | undefined, text: string): void {
  say(json, { kind: "warning", text }, paint("yellow", text));
}

function readyText(
  variables: Record<string, string>,
  {
    milliseconds,
    brief,
    missing,
    beside,
  }: {
    milliseconds: number;
    brief: boolean;
    missing: string | undefined;
    beside: readonly [string, string][];
  },
): string {
  const ready = `${paint("green", "Homebase is ready")} ${paint("dim", `after ${(milliseconds / 1000).toFixed(2)} s`)}`;
  const headline =
    missing === undefined ? ready : `${ready}, ${paint("red", `but ${missing} is not applied (see above)`)}`;
  if (brief) return beside.length === 0 ? headline : `${headline}\n${table([...beside])}`;
  const rows: [string, string][] = [["API", variables.API_URL ?? ""]];
  rows.push(["Database", variables.DB_URL ?? ""]);
  if (variables.MAILPIT_URL) rows.push(["Inbox", variables.MAILPIT_URL]);
  rows.push(["Key", variables.PUBLISHABLE_KEY ?? ""]);
  return `${headline}\n${table([...rows, ...beside])}`;
}

/** A mistyped folder, or one of several, would begin an empty project. @throws CommandError */
function refuseWithoutProject({ projectFolder }: Config): void {
  if (isProject(projectFolder)) return;
  const below = projectsBelow(projectFolder).map((folder) => relative(projectFolder, folder));
  throw new CommandError(
    below.length === 0
      ? `There is no project in ${projectFolder}, nor above it: it would have a supabase/ folder with config.toml or migrations. Begin one with: homebase init`
      : `${projectFolder} has several projects: ${below.join(", ")}. Say which one: homebase start --workdir ${below[0]}`,
  );
}
