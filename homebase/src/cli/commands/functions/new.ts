/** Owns `homebase functions new`: the file of a function. */
import { relative } from "node:path";
import { writeProjectFile } from "../../../config/project-paths.ts";
import { functionFile, isFunctionName } from "../../../functions/project-functions.ts";
import { type Command, configFor, parseOptions } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";
import { firstFunction } from "../init/first-function.ts";

export const functionsNew: Command = {
  help: `Usage: homebase functions new NAME [options]

Creates supabase/functions/NAME/index.ts. A running stack serves it at once, at /functions/v1/NAME.

Options:
  --workdir FOLDER   the folder with supabase/ (default: this one or the nearest one above)
  --json             machine-readable output
  -h, --help         this text

Examples:
  homebase functions new hello`,
  run: async (args) => {
    const { values, positionals } = parseOptions(args, {}, true);
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0 || !isFunctionName(name)) {
      throw new CommandError(
        "Give the function one name of letters, digits, _ and -, beginning with a letter: homebase functions new hello",
        2,
      );
    }
    const config = configFor(values);
    const file = functionFile(config, name);
    try {
      writeProjectFile(config.projectFolder, file, firstFunction(config.api.port, name), { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new CommandError(`There is a function ${name} already: ${file}`);
    }
    const path = relative(config.projectFolder, file);
    process.stdout.write(values.json ? `${JSON.stringify({ path })}\n` : `Created ${path}\n`);
  },
};
