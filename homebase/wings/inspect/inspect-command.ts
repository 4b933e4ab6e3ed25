/** Owns `homebase inspect`: its subcommands, one for each question. */

import { group } from "../../src/cli/kit/group.ts";
import { type Command, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { textTable } from "../../src/cli/kit/table.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../src/cli/kit/target.ts";
import { withClient } from "../../src/tools/command-connection.ts";
import { inspect as ask } from "./inspect.ts";
import { type Inspection, inspections } from "./queries.ts";

const db = group({
  name: "inspect db",
  about:
    "Reports from Postgres's own statistics. They only read. Sizes, estimates of rows and settings are those of the\nSupabase CLI's reports; columns have other headings, and some are left out or added; role-stats leaves out\nPostgres's own roles (pg_...).",
  subcommands: Object.fromEntries(
    Object.entries(inspections).map(([name, inspection]) => [
      name,
      { summary: inspection.summary, load: async () => command(name, inspection) },
    ]),
  ),
  examples: ["homebase inspect db table-stats", 'homebase inspect db outliers --db-url "$DATABASE_URL"'],
});

export const inspect = group({
  name: "inspect",
  about: "Shows statistics of a database: sizes, scans, locks, indexes.",
  subcommands: {
    db: { summary: "reports on a database, by name", load: async () => db },
    report: {
      summary: "write all reports as CSV files",
      load: async () => (await import("./report.ts")).report,
    },
  },
  examples: ["homebase inspect db --help", "homebase inspect db unused-indexes", "homebase inspect report"],
});

function command(name: string, inspection: Inspection): Command {
  return {
    help: `Usage: homebase inspect db ${name} [options]

${inspection.summary[0]?.toUpperCase()}${inspection.summary.slice(1)}.${inspection.needs ? ` Needs the extension ${inspection.needs}.` : ""}

Options:
${targetHelp}
${sharedHelp}

Examples:
  homebase inspect db ${name}`,
    run: async (args) => {
      const { values } = parseOptions(args, targetOptions);
      const target = await chosenTarget(values, `inspect db ${name}`);
      const { columns, rows } = await withClient(target, (client) => ask(client, inspection));
      if (values.json) {
        const objects = rows.map((row) => Object.fromEntries(columns.map((one, at) => [one, row[at]])));
        return void process.stdout.write(`${JSON.stringify(objects)}\n`);
      }
      process.stdout.write(textTable(columns, rows));
    },
  };
}
