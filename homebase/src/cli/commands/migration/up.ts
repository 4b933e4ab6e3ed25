/** Owns `homebase migration up`: pending migrations applied to the running stack's database, or to another one. */

import { applyOnTarget } from "../../../postgres/files/migration-history.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { addressOf, chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { migrate } from "../migrate/migrate.ts";
import { dueMigrations, recordReplacements } from "./due.ts";

export const migrationUp: Command = {
  help: `Usage: homebase migration up [options]

Applies the pending files of supabase/migrations, each in a transaction of its own: to the running stack's database
as homebase migrate does, or to the one that --db-url names.

Options:
  --include-all      also files that are older than the newest one that is applied
${targetHelp}
${sharedHelp}

Examples:
  homebase migration up
  homebase migration up --db-url "$DATABASE_URL"`,
  run: async (args, wings) => {
    const { values } = parseOptions(args, { ...targetOptions, "include-all": { type: "boolean" } });
    if (addressOf(values, "migration up") === undefined) {
      // The running stack applies every file that its database lacks.
      return migrate.run(
        args.filter((word) => word !== "--include-all" && word !== "--local"),
        wings,
      );
    }
    const target = await chosenTarget(values, "migration up");
    const config = configFor(values);
    const applied: string[] = [];
    const replaced: string[] = [];
    await withClient(target, async (client) => {
      const due = await dueMigrations(client, config, values["include-all"] ?? false);
      replaced.push(...(await recordReplacements(client, due, { json: values.json })));
      await applyOnTarget(client, due.pending, ({ path }) => {
        applied.push(path);
        if (!values.json) process.stdout.write(`Applied ${path}\n`);
      });
    });
    if (values.json) process.stdout.write(`${JSON.stringify({ applied, replaced })}\n`);
    else if (applied.length === 0 && replaced.length === 0) process.stdout.write("Nothing was pending.\n");
  },
};
