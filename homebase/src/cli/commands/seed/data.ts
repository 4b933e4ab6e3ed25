/** Owns `homebase seed data`: seed files that the running stack's database has not had yet. */
import { applySeeds, changedSeeds } from "../../../postgres/migrations.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { databaseAt, runningAddress } from "../../kit/running.ts";
import { addressOf, targetOptions } from "../../kit/target.ts";

export const seedData: Command = {
  help: `Usage: homebase seed data [options]

Runs the files of [db.seed] sql_paths that have not been run on the running stack's database, each in a
transaction of its own. A file is run only once, even if it has changed; homebase reset runs all of them on a
new database.

Options:
  --local            the running stack, which is the only target
  --linked           not built: Homebase keeps no links to projects
${sharedHelp}

Examples:
  homebase seed data`,
  run: async (args) => {
    const { linked, local } = targetOptions;
    const { values } = parseOptions(args, { linked, local });
    addressOf(values, "db push --include-seed");
    const config = configFor(values);
    const database = databaseAt(await runningAddress(config));
    try {
      const files = await applySeeds(database, config);
      if (values.json) process.stdout.write(`${JSON.stringify({ files })}\n`);
      else if (files.length === 0) process.stdout.write("Every seed file was run before.\n");
      else for (const file of files) process.stdout.write(`Seeded from ${file}\n`);
      for (const file of await changedSeeds(database, config))
        process.stderr.write(
          `${file} has changed since it was run. homebase reset runs it on a new database.\n`,
        );
    } finally {
      await database.close();
    }
  },
};
