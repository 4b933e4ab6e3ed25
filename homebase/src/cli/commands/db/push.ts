/** Owns `homebase db push`: pending migrations brought to a database that an address names. */

import { applyOnTarget } from "../../../postgres/files/migration-history.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { addressOf, chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";
import { dueMigrations, recordReplacements } from "../migration/due.ts";

export const dbPush: Command = {
  help: `Usage: homebase db push --db-url URL [options]

Applies the files of supabase/migrations that a database's history lacks, in order, each in a transaction of its
own with its row of the history. It stops at the first one that fails; earlier ones stay applied. homebase
deploy updates a whole hosted project, not only its schema.

Options:
  --dry-run          show what would be applied, and change nothing
  --include-all      also files that are older than the newest one that is applied
${targetHelp.replace(" (default: the running stack's)", "")}
${sharedHelp}

Examples:
  homebase db push --db-url "$DATABASE_URL" --dry-run
  homebase db push --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      ...targetOptions,
      "dry-run": { type: "boolean" },
      "include-all": { type: "boolean" },
      "include-seed": { type: "boolean" },
      "include-roles": { type: "boolean" },
      "skip-vault": { type: "boolean" },
    });
    if (values["include-seed"] || values["include-roles"]) {
      throw new CommandError(
        "--include-seed and --include-roles are not built. Use the Supabase CLI: npx supabase db push",
      );
    }
    if (addressOf(values, "db push") === undefined) {
      throw new CommandError(
        "Name the database: --db-url URL. For the running stack's use homebase migrate.",
        2,
      );
    }
    const config = configFor(values);
    const target = await chosenTarget(values, "db push");
    const dry = values["dry-run"] ?? false;
    const paths: string[] = [];
    const replaced: string[] = [];
    await withClient(target, async (client) => {
      const due = await dueMigrations(client, config, values["include-all"] ?? false);
      replaced.push(...(await recordReplacements(client, due, { dry, json: values.json })));
      if (dry) paths.push(...due.pending.map(({ path }) => path));
      else {
        await applyOnTarget(client, due.pending, ({ path }) => {
          paths.push(path);
          if (!values.json) process.stdout.write(`Applied ${path}\n`);
        });
      }
    });
    if (values.json)
      return void process.stdout.write(
        `${JSON.stringify({ [dry ? "pending" : "applied"]: paths, replaced })}\n`,
      );
    if (paths.length === 0 && replaced.length === 0) process.stdout.write("The database is up to date.\n");
    else if (dry && paths.length > 0)
      process.stdout.write(`Would apply:\n${paths.map((path) => `  ${path}\n`).join("")}`);
    if (!values["skip-vault"] && Object.keys(config.db.vault).length > 0) {
      process.stderr.write("Secrets of [db.vault] are not pushed: homebase deploy does that.\n");
    }
  },
};
