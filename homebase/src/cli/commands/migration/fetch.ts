/** Owns `homebase migration fetch`: files of what a database's history holds. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readHistory } from "../../../postgres/files/migration-history.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { migrationOf, writeMigration } from "../../../tools/history/new-migration.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

export const migrationFetch: Command = {
  help: `Usage: homebase migration fetch [options]

Writes a file into supabase/migrations for each row of a database's history that has statements. Existing files
are not changed.

Options:
${targetHelp}
${sharedHelp}

Examples:
  homebase migration fetch --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values } = parseOptions(args, targetOptions);
    const config = configFor(values);
    const history = await withClient(await chosenTarget(values, "migration fetch"), readHistory);
    const files: string[] = [];
    const existing: string[] = [];
    const empty: string[] = [];
    for (const { version, name, statements } of history) {
      if (statements === null) empty.push(version);
      else if (!/^[0-9]{1,20}$/.test(version)) {
        throw new CommandError(
          `The history has a version ${JSON.stringify(version)}, which no file can have: it is digits only. ${files.length} files were written before it.`,
        );
      } else {
        const sql = statements.map(ended).join("\n");
        // A name that was written by other tools may hold anything.
        const made = migrationOf(config, version, (name || "remote").replace(/[^A-Za-z0-9_-]/g, "_"), sql);
        if (existsSync(join(config.projectFolder, made.path))) existing.push(made.path);
        else {
          writeMigration(config, made);
          files.push(made.path);
        }
      }
    }
    if (values.json)
      return void process.stdout.write(`${JSON.stringify({ files, kept: existing, empty })}\n`);
    for (const file of files) process.stdout.write(`Wrote ${file}\n`);
    if (existing.length > 0)
      process.stdout.write(
        `Left ${existing.length} existing ${existing.length === 1 ? "file" : "files"} unchanged.\n`,
      );
    if (empty.length > 0) process.stderr.write(`Without statements in the history: ${empty.join(", ")}\n`);
    if (history.length === 0) process.stdout.write("The history is empty.\n");
  },
};

/** A statement with its semicolon, which must not end up in a comment; the data of a COPY has its own end. */
function ended(statement: string): string {
  if (statement.endsWith("\n\\.")) return `${statement}\n`;
  const text = statement.replace(/;\s*$/, "");
  return `${text}${/--[^\n]*$/.test(text) ? "\n" : ""};\n`;
}
