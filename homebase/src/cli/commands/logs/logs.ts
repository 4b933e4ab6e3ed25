/** Owns `homebase logs`: prints the stack's log, of all services or of one, and can follow it. */
import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { LogEntry } from "../../../core/log.ts";
import { lastLogEntries, readLogLines, replacedLog } from "../../../developer/log-file.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { logPath } from "../../kit/state.ts";
import { CommandError } from "../../kit/terminal.ts";
import { logLine } from "../start/start.ts";

const POLL_MS = 200;

export const logs: Command = {
  help: `Usage: homebase logs [service] [options]

Shows the log of this project's stack. Services: gateway, rest, auth, storage, realtime, functions, mail,
postgres, homebase.

Options:
  -f, --follow       keep printing new entries
  -n, --lines N      only the last N entries (default 200)
  --errors           only warnings and errors
${sharedHelp}

Examples:
  homebase logs functions --follow
  homebase logs --errors --lines 20`,
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

    let { ino } = statSync(path);
    const { entries, end } = await lastLogEntries(path, wanted, limit);
    let position = end;
    entries.forEach(print);
    if (!values.follow) return;
    const show = (entry: LogEntry) => void (wanted(entry) && print(entry));
    // Looked at again and again: a watcher misses what is written before its own first look.
    for (;;) {
      await pause(POLL_MS);
      const now = statSync(path, { throwIfNoEntry: false });
      // During a rotation there is briefly no file.
      if (!now || (now.ino === ino && now.size === position)) continue;
      if (now.ino !== ino) {
        await readLogLines(replacedLog(path), position, show);
        ({ ino } = now);
        position = 0;
      } else if (now.size < position) position = 0;
      position = await readLogLines(path, position, show);
    }
  },
};
