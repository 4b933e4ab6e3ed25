/** Owns `homebase logs`: what the stack wrote, of all services or of one, also while it goes on. */
import { createReadStream, statSync, watchFile } from "node:fs";
import { createInterface } from "node:readline";
import type { LogEntry } from "../core/log.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "./options.ts";
import { logLine } from "./start.ts";
import { logPath } from "./state.ts";
import { CommandError } from "./terminal.ts";

const POLL_MS = 200;

export const logs: Command = {
  summary: "show the stack's log",
  help: `Usage: homebase logs [service] [options]

Shows the log of this project's stack. Services: gateway, rest, auth, storage, realtime, functions, mail,
postgres, homebase.

Options:
  -f, --follow       go on as more is written
  -n, --lines N      only the last N entries (default 200)
  --errors           only warnings and errors
${sharedHelp}`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      {
        follow: { type: "boolean", short: "f" },
        lines: { type: "string", short: "n" },
        errors: { type: "boolean" },
      },
      true,
    );
    const path = logPath(configFor(values));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile())
      throw new CommandError("There is no log yet. Start the stack with: homebase start");
    const limit = Number(values.lines ?? 200);
    if (!Number.isInteger(limit) || limit < 0) throw new CommandError("--lines takes a whole number.", 2);
    const service = positionals[0];
    const wanted = (entry: LogEntry) =>
      (!service || entry.service === service) &&
      (!values.errors || entry.level === "warn" || entry.level === "error");
    const print = (entry: LogEntry) =>
      process.stdout.write(values.json ? `${JSON.stringify(entry)}\n` : `${logLine(entry)}\n`);

    let { size: position, ino } = statSync(path);
    const kept: LogEntry[] = [];
    const keep = (entry: LogEntry) => {
      if (!wanted(entry)) return;
      kept.push(entry);
      if (kept.length > limit) kept.shift();
    };
    // A file that grew too large was set aside under this name.
    const before = `${path}.1`;
    await read(before, 0, sizeOf(before), keep);
    await read(path, 0, position, keep);
    kept.forEach(print);
    if (!values.follow) return;
    const show = (entry: LogEntry) => void (wanted(entry) && print(entry));
    let reading: Promise<void> = Promise.resolve();
    await new Promise<never>(() => {
      watchFile(path, { interval: POLL_MS }, (now) => {
        reading = reading.then(async () => {
          if (now.ino !== ino && now.ino !== 0) {
            await read(before, position, sizeOf(before), show);
            ({ ino } = now);
            position = 0;
          } else if (now.size < position) position = 0;
          await read(path, position, now.size, show);
          position = now.size;
        });
      });
    });
  },
};

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function read(path: string, from: number, to: number, each: (entry: LogEntry) => void): Promise<void> {
  if (to <= from) return;
  const lines = createInterface({ input: createReadStream(path, { start: from, end: to - 1 }) });
  for await (const line of lines) {
    try {
      each(JSON.parse(line) as LogEntry);
    } catch {
      // A line that is still being written, or one cut off by a kill.
    }
  }
}
