/** Owns `homebase migration list`, which compares the files with a database's history. */

import { readHistory } from "../../../postgres/files/migration-history.ts";
import { readMigrations } from "../../../postgres/files/project-files.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";

export const migrationList: Command = {
  help: `Usage: homebase migration list [options]

Shows the versions of supabase/migrations beside those in a database's history. A version that is on one side
only is pending, or has no file here.

Options:
${targetHelp}
${sharedHelp}

Examples:
  homebase migration list
  homebase migration list --db-url "$DATABASE_URL" --json`,
  run: async (args) => {
    const { values } = parseOptions(args, targetOptions);
    const local = readMigrations(configFor(values)).map(({ version }) => version);
    const target = await chosenTarget(values, "migration list");
    const remote = (await withClient(target, readHistory)).map(({ version }) => version);
    const rows = [...new Set([...local, ...remote])].sort().map((version) => ({
      local: local.includes(version) ? version : "",
      remote: remote.includes(version) ? version : "",
      time: timeOf(version),
    }));
    if (values.json) return void process.stdout.write(`${JSON.stringify({ migrations: rows })}\n`);
    const line = (one: string, two: string, three: string) =>
      `   ${one.padEnd(14)} | ${two.padEnd(14)} | ${three}`.trimEnd();
    process.stdout.write(
      `${[line("Local", "Remote", "Time (UTC)"), "  ----------------|----------------|---------------------", ...rows.map((row) => line(row.local, row.remote, row.time))].join("\n")}\n`,
    );
  },
};

/** The time that a version of 14 digits says; the version itself otherwise. */
function timeOf(version: string): string {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(version);
  return parts ? `${parts.slice(1, 4).join("-")} ${parts.slice(4).join(":")}` : version;
}
