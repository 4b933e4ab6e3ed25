/** Owns `homebase migrate`: pending migrations applied to the running stack's database in place. */
import { control } from "./control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "./options.ts";
import { controlSocketPath } from "./state.ts";
import { CommandError } from "./terminal.ts";

export const migrate: Command = {
  summary: "apply pending migrations now (saving a file does so by itself)",
  help: `Usage: homebase migrate [options]

Applies the pending files of supabase/migrations to the running stack's database, each in a transaction
of its own. The stack's terminal says what happened.

Options:
${sharedHelp}`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const socket = controlSocketPath(configFor(values).projectFolder);
    if ((await control(socket, "migrate")) === undefined) {
      throw new CommandError("Nothing runs for this project. Start it with: homebase start");
    }
    process.stdout.write(values.json ? `${JSON.stringify({ migrated: true })}\n` : "Done.\n");
  },
};
