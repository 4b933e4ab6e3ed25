/** Owns `homebase migration new`: an empty migration, or one of what is piped in. */
import { fstatSync, readFileSync } from "node:fs";
import { migrationOf, nextVersions, writeMigration } from "../../../tools/history/new-migration.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";

export const migrationNew: Command = {
  help: `Usage: homebase migration new <name> [options]

Creates supabase/migrations/<timestamp>_<name>.sql: empty, or with the text from standard input.

Options:
${sharedHelp}

Examples:
  homebase migration new add_menus
  homebase db diff | homebase migration new add_menus`,
  run: async (args) => {
    const { values, positionals } = parseOptions(args, {}, true);
    const [name, ...more] = positionals;
    if (name === undefined || more.length > 0) {
      throw new CommandError("homebase migration new takes one name.", 2);
    }
    const config = configFor(values);
    const [version = ""] = nextVersions(config, 1);
    const made = migrationOf(config, version, name, pipedIn());
    writeMigration(config, made);
    process.stdout.write(
      values.json ? `${JSON.stringify({ file: made.path })}\n` : `Created new migration at ${made.path}\n`,
    );
  },
};

/** What a pipe or a file on standard input holds. A terminal, or no input at all, holds nothing. */
function pipedIn(): string {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() ? readFileSync(0, "utf8") : "";
  } catch {
    return "";
  }
}
