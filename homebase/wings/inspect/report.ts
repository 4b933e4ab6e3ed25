/** Owns `homebase inspect report`: every report of `inspect db` as a CSV file. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../src/cli/kit/target.ts";
import { writeProjectFile } from "../../src/config/project-paths.ts";
import { withClient } from "../../src/tools/command-connection.ts";
import { type Answer, ExtensionMissing, inspect } from "./inspect.ts";
import { inspections } from "./queries.ts";

/** A report that was left out, and why. */
interface Omission {
  report: string;
  reason: string;
}

export const report: Command = {
  help: `Usage: homebase inspect report [options]

Writes the reports of homebase inspect db as CSV files, one for each, into a folder named after today (UTC). A
report whose extension the database does not have is left out, and named.

Options:
  --output-dir DIR   where that folder is created (default: the current folder)
${targetHelp}
${sharedHelp}

Examples:
  homebase inspect report
  homebase inspect report --output-dir reports --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values } = parseOptions(args, { ...targetOptions, "output-dir": { type: "string" } });
    const target = await chosenTarget(values, "inspect report");
    const within = resolve(values["output-dir"] ?? ".");
    const folder = join(within, new Date().toISOString().slice(0, 10));
    const files: string[] = [];
    const omitted: Omission[] = [];
    await withClient(target, async (client) => {
      mkdirSync(within, { recursive: true });
      for (const [name, inspection] of Object.entries(inspections)) {
        try {
          const file = join(folder, `${name}.csv`);
          writeProjectFile(within, file, csv(await inspect(client, inspection)));
          files.push(file);
        } catch (error) {
          if (!(error instanceof ExtensionMissing)) throw error;
          omitted.push({ report: name, reason: error.message });
        }
      }
    });
    if (values.json) return void process.stdout.write(`${JSON.stringify({ folder, files, omitted })}\n`);
    for (const { report, reason } of omitted) process.stdout.write(`Left out ${report}: ${reason}\n`);
    process.stdout.write(`Wrote ${files.length} reports to ${folder}\n`);
  },
};

/** As RFC 4180 has it, with a line of names. */
function csv({ columns, rows }: Answer): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

function field(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
