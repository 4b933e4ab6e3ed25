/** Owns `homebase db start`: a start with the database alone. */

import { type Command, sharedHelp } from "../../kit/options.ts";
import { EXCLUDABLE } from "../start/excluded.ts";
import { start } from "../start/start.ts";

export const dbStart: Command = {
  help: `Usage: homebase db start [options]

Starts Postgres with your migrations and seed, and none of the services: the same as homebase start with all of them in
--exclude, whose other options it takes. It stays in the foreground: end it with Ctrl+C or homebase stop.

Options:
${sharedHelp}

Examples:
  homebase db start`,
  run: (args, wings) => start.run([...args, "--exclude", EXCLUDABLE.join(",")], wings),
};
