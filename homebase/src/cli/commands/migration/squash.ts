/** Owns `homebase migration squash`: one migration of many, proven to make the same schema. */
import { SquashRefused, squash } from "../../../tools/history/squash.ts";
import { withTemporaryCluster } from "../../../tools/temporary.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";

export const migrationSquash: Command = {
  help: `Usage: homebase migration squash [options]

Replaces the files of supabase/migrations by one file with their combined schema, under the version and name of
the last. A temporary Postgres verifies that the schema is the same; otherwise nothing is written. Rows that
migrations write (inserts, scheduled jobs, buckets) are not part of a schema; the statements that wrote them are
listed.

The file's first lines name the versions that it replaces. homebase start, migrate, migration up, db push and
deploy rewrite a history that has all of them, without running anything, and refuse one that has only some. The
Supabase CLI does not read these lines; the output has its command.

Options:
  --version VERSION  squash only up to this one
  --local            the project's files, which it is about anyway
${sharedHelp}

Examples:
  homebase migration squash
  homebase migration squash --version 20260101000000`,
  run: async (args) => {
    const { values } = parseOptions(args, { version: { type: "string" }, local: { type: "boolean" } });
    const config = configFor(values);
    if (!values.json) progress("Squashing");
    const done = await withTemporaryCluster(config, (cluster) => squash(cluster, config, values.version))
      .catch((error: unknown) => {
        throw error instanceof SquashRefused
          ? new CommandError(`Nothing was changed. ${error.message}`)
          : error;
      })
      .finally(endProgress);
    const files = done.files.map(({ path }) => path);
    const removed = done.removed.map(({ path }) => path);
    if (values.json) {
      const { dataStatements } = done;
      return void process.stdout.write(`${JSON.stringify({ files, removed, dataStatements })}\n`);
    }
    process.stdout.write(
      `Squashed ${done.removed.length + done.files.length} migrations to ${files.join(", ")}\n`,
    );
    if (done.dataStatements.length > 0) {
      const shown = done.dataStatements.map((line) => `  ${line}\n`).join("");
      process.stderr.write(`Left out, because they are not part of the schema:\n${shown}`);
    }
    const gone = done.removed
      .map(({ version }) => version)
      .filter((version) => !done.files.some((file) => file.version === version));
    if (gone.length > 0) {
      process.stdout.write(
        `A database that has all of the old files is updated by homebase start, migrate, db push or deploy, without running anything. Before supabase db push:\n  supabase migration repair --status reverted ${gone.join(" ")}\n`,
      );
    }
  },
};
