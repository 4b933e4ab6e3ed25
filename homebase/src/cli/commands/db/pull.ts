/** Owns `homebase db pull`: what a database has and the migrations have not, as a migration. */

import {
  becomePostgres,
  compareHistory,
  markApplied,
  readHistory,
} from "../../../postgres/files/migration-history.ts";
import { readMigrations } from "../../../postgres/files/project-files.ts";
import { written } from "../../../postgres/migrations.ts";
import { transactWith } from "../../../postgres/transaction.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { migrationOf, nextVersions, writeMigration } from "../../../tools/history/new-migration.ts";
import { schemaSteps } from "../../../tools/schema-steps.ts";
import { withTemporaryCluster } from "../../../tools/temporary.ts";
import { type Command, configFor, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { addressOf, chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";

export const dbPull: Command = {
  help: `Usage: homebase db pull [name] [options]

Compares a database with what supabase/migrations produces and writes the difference as a new migration,
<timestamp>_<name>.sql (default: remote_schema). The database itself is not changed, except that --yes marks the
new migration as applied in its history; without --yes the command that does so is printed.

Options:
  -y, --yes          mark the migration as applied in the database's history
  -s, --schema LIST  only these schemas, with commas; may be repeated
${targetHelp}
${sharedHelp}

Examples:
  homebase db pull --db-url "$DATABASE_URL" --yes
  homebase db pull add_menus --schema public,private --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      {
        ...targetOptions,
        yes: { type: "boolean", short: "y" },
        schema: { type: "string", short: "s", multiple: true },
        declarative: { type: "boolean" },
        "diff-engine": { type: "string" },
        "strict-coverage": { type: "boolean" },
      },
      true,
    );
    if (values.declarative || (values["diff-engine"] ?? "pg-delta") !== "pg-delta") {
      throw new CommandError(
        "--declarative and engines other than pg-delta are not built. Use the Supabase CLI: npx supabase db pull",
      );
    }
    const [name = "remote_schema", ...more] = positionals;
    if (more.length > 0) throw new CommandError("homebase db pull takes one name.", 2);
    const config = configFor(values);
    const target = await chosenTarget(values, "db pull");
    const files = written(readMigrations(config));
    const history = await withClient(target, readHistory);
    const { foreign, pending } = compareHistory(
      files,
      history.map(({ version }) => version),
    );
    if (foreign.length > 0 || pending.length > 0) {
      throw new CommandError(
        [
          "The database's history and supabase/migrations do not agree.",
          ...(foreign.length > 0
            ? [`Without a file here: ${foreign.join(", ")} (homebase migration fetch)`]
            : []),
          ...(pending.length > 0
            ? [
                `Not in the history: ${pending.map(({ version }) => version).join(", ")} (homebase db push, or homebase migration repair --status applied)`,
              ]
            : []),
        ].join("\n"),
      );
    }
    if (!values.json) progress("Comparing");
    const schemas = listed(values.schema);
    const desired = { connection: target.connection, prepare: becomePostgres };
    const steps = await withTemporaryCluster(config, (cluster) =>
      schemaSteps(cluster, config, files, desired, schemas),
    ).finally(endProgress);
    for (const one of [...steps.notCompared, ...steps.notStated.map(({ text }) => text)])
      process.stderr.write(`Not compared: ${one}\n`);
    if (steps.notCompared.length > 0 && values["strict-coverage"]) {
      throw new CommandError("Nothing was written: --strict-coverage allows no object that is not compared.");
    }
    if (steps.missing !== "") {
      throw new CommandError(
        `Nothing was written: the migration would not produce the same schema. It lacks\n${steps.missing}`,
      );
    }
    if (steps.order.created.length > 0) {
      throw new CommandError(`Nothing was written.\n${steps.order.created.join("\n")}`);
    }
    for (const one of steps.order.altered) process.stderr.write(`${one}\n`);
    if (steps.parts.length === 0) {
      process.stdout.write(values.json ? `${JSON.stringify({ files: [] })}\n` : "No schema changes found.\n");
      return;
    }
    const versions = nextVersions(config, steps.parts.length);
    const made = steps.parts.map((sql, index) => {
      const own = steps.parts.length === 1 ? name : `${name}_${index + 1}`;
      return migrationOf(config, versions[index] ?? "", own, `${sql}\n`);
    });
    const write = () => {
      for (const one of made) writeMigration(config, one);
    };
    // A running stack applies a file as soon as it is saved, and it has everything of this one.
    const recorded = values.yes || addressOf(values, "db pull") === undefined;
    if (!recorded) write();
    else {
      await withClient(target, async (client) => {
        await becomePostgres(client);
        await transactWith(client, async () => {
          await markApplied(client, made);
          // A history must not name a file that could not be written.
          write();
        });
      });
    }
    const paths = made.map(({ path }) => path);
    if (values.json) return void process.stdout.write(`${JSON.stringify({ files: paths, recorded })}\n`);
    process.stdout.write(`Schema written to ${paths.join(", ")}\n`);
    process.stdout.write(
      recorded
        ? "Recorded as applied in the database's history.\n"
        : `The database already has these objects. Record that in its history:\n  homebase migration repair --status applied ${versions.join(" ")} --db-url ...\n`,
    );
  },
};
