/** Owns `homebase reset`: database and files rebuilt from the project's files. */
import { DeveloperStack } from "../backend/developer-stack.ts";
import { silentLog } from "../core/log.ts";
import { SqlFileError } from "../postgres/migrations.ts";
import { control } from "./control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "./options.ts";
import { controlSocketPath } from "./state.ts";
import { CommandError, endProgress, progress } from "./terminal.ts";

export const reset: Command = {
  summary: "rebuild database and files from migrations, seed and config.toml",
  help: `Usage: homebase reset [options]

Builds a new database from supabase/migrations and the seed, then puts it in the place of the present
one; stored files are removed and the buckets of config.toml made anew. A running stack goes on serving
meanwhile. When a file fails, nothing is changed.

Options:
${sharedHelp}`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const config = configFor(values);
    const began = performance.now();
    if (!values.json) progress("Rebuilding");
    try {
      const running = await control(controlSocketPath(config.projectFolder), "reset");
      if (running === undefined) {
        const stack = await DeveloperStack.start({ config, log: silentLog });
        await stack.reset().finally(() => stack.stop());
      }
    } catch (error) {
      endProgress();
      const text =
        error instanceof SqlFileError ? error.describe() : error instanceof Error ? error.message : error;
      throw new CommandError(`Nothing was changed.\n${text}`);
    }
    endProgress();
    const milliseconds = Math.round(performance.now() - began);
    process.stdout.write(
      values.json ? `${JSON.stringify({ reset: true, milliseconds })}\n` : `Rebuilt in ${milliseconds} ms.\n`,
    );
    // Without a stack to talk to, its pools have only just been told to close.
    process.exit(0);
  },
};
