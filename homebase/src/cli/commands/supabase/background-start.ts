/** Owns a start that returns, as the Supabase CLI's does: the stack runs on in a process of its own. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { claimStateFolder } from "../../../postgres/cluster/state-folder.ts";
import { control } from "../../kit/control.ts";
import { configFor, parseOptions } from "../../kit/options.ts";
import { controlSocketPath, logPath } from "../../kit/state.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";
import { status } from "../status/status.ts";
import { stop } from "../stop/stop.ts";

const LOOK_MS = 25;

interface StartEvent {
  kind?: string;
  text?: string;
  description?: string;
  notApplied?: string;
  error?: { message: string };
}

/**
 * Starts the stack unless it runs, waits until every service answers, and prints the addresses.
 * @param command `start` or `db start`
 * @throws CommandError when the stack cannot start, or a file of the project cannot be applied; nothing runs then.
 */
export async function startInBackground(command: string, args: string[]): Promise<void> {
  const { values } = parseOptions(args, { exclude: { type: "string", short: "x", multiple: true } });
  const config = configFor(values);
  const where = ["--workdir", config.projectFolder];
  if (await control(controlSocketPath(config), "status")) {
    process.stderr.write("supabase start is already running.\n");
    return status.run(where, []);
  }
  claimStateFolder(config.projectFolder);
  const output = join(dirname(logPath(config)), "background.jsonl");
  mkdirSync(dirname(output), { recursive: true });
  const file = openSync(output, "w", 0o600);
  const launcher = join(dirname(realpathSync(process.argv[1] ?? "")), "homebase.mjs");
  const child = spawn(process.execPath, [launcher, ...command.split(" "), ...args, "--json"], {
    detached: true,
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  progress("Starting");
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  for (;;) {
    // Read after the exit was seen, so that the last line is there.
    const last = ended;
    const events = eventsOf(readFileSync(output, "utf8"));
    const ready = events.find(({ kind }) => kind === "ready");
    if (ready || last) endProgress();
    if (ready?.notApplied !== undefined) {
      await stop.run(where, []);
      throw new CommandError(`${ready.notApplied} cannot be applied.\n${failureIn(events)}`);
    }
    if (ready) {
      for (const { kind, text } of events) if (kind === "warning") process.stderr.write(`${text}\n`);
      break;
    }
    if (last) throw new CommandError(failureIn(events) || readFileSync(output, "utf8"));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  child.unref();
  process.stderr.write("Started supabase local development setup.\n\n");
  await status.run(where, []);
}

/** The lines of the start's output that are complete. */
function eventsOf(text: string): StartEvent[] {
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as StartEvent];
      } catch {
        return [];
      }
    });
}

function failureIn(events: readonly StartEvent[]): string {
  return events.flatMap(({ error, description }) => error?.message ?? description ?? []).join("\n");
}
