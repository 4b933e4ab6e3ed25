/** Owns `homebase db dump`: schema, rows or roles of a database as SQL. */
import { createWriteStream, openSync, renameSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import { becomePostgres } from "../../../postgres/files/migration-history.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { dumpData } from "../../../tools/dump/dumped-rows.ts";
import { dumpRoles } from "../../../tools/dump/role-statements.ts";
import { dumpSchema } from "../../../tools/dump/schema-statements.ts";
import { withTemporaryCluster } from "../../../tools/temporary.ts";
import { type Command, configFor, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError, endProgress, progress } from "../../kit/terminal.ts";

export const dbDump: Command = {
  help: `Usage: homebase db dump [options]

Prints the schema of a database as SQL, without the objects of every Supabase project. With --data-only it
prints the rows (one snapshot, restorable whatever the order of foreign keys), with --role-only the roles of the
server, without passwords. A backup is all three, restored in the order roles, schema, rows. It does not use
pg_dump: the schema is the difference from an empty project, and is tested on one before it is printed. Objects
that cannot be compared (operator classes, languages) are listed on standard error.

Options:
  -f, --file FILE    write to a file instead of standard output
  --data-only        rows instead of the schema, including auth and storage
  --use-copy         COPY instead of INSERT, for psql or as a seed
  -x, --exclude LIST  tables to leave out of the rows, as schema.table, with commas; may be repeated
  --role-only        roles instead of the schema
  -s, --schema LIST  only these schemas, and the extensions they need, with commas; may be repeated
${targetHelp}
${sharedHelp}

Examples:
  homebase db dump -f schema.sql
  homebase db dump --data-only --db-url "$DATABASE_URL" -f supabase/seed.sql
  homebase db dump --role-only`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      ...targetOptions,
      file: { type: "string", short: "f" },
      "data-only": { type: "boolean" },
      "use-copy": { type: "boolean" },
      "role-only": { type: "boolean" },
      "dry-run": { type: "boolean" },
      "keep-comments": { type: "boolean" },
      schema: { type: "string", short: "s", multiple: true },
      exclude: { type: "string", short: "x", multiple: true },
    });
    if (values["dry-run"]) {
      throw new CommandError(
        "--dry-run is not built: there is no pg_dump here to show the script of. Use the Supabase CLI: npx supabase db dump --dry-run",
      );
    }
    if (values["data-only"] && values["role-only"]) {
      throw new CommandError("Use either --data-only or --role-only.", 2);
    }
    if ((values["use-copy"] || values.exclude) && !values["data-only"]) {
      throw new CommandError("--use-copy and --exclude go with --data-only.", 2);
    }
    const config = configFor(values);
    const target = await chosenTarget(values, "db dump");
    const schemas = listed(values.schema);
    const file = values.file === undefined ? undefined : resolve(values.file);
    // An earlier dump stays as it is until this one is complete. A pipe or a device has no earlier one.
    const making = file && !isSpecial(file) ? `${file}.${process.pid}.part` : file;
    const out =
      making === undefined
        ? process.stdout
        : // Made at once: a stream that opens later would make it after it was removed.
          createWriteStream(making, making === file ? {} : { fd: openSync(making, "w") });
    // A failure reaches the next write.
    out.on("error", () => {});
    const write = (text: string) =>
      new Promise<void>((kept, failed) => out.write(text, (error) => (error ? failed(error) : kept())));
    const done: Record<string, unknown> = {};
    const dump = async () => {
      if (values["role-only"]) await write(await withClient(target, dumpRoles));
      else if (values["data-only"]) {
        Object.assign(
          done,
          await withClient(target, async (client) => {
            await becomePostgres(client);
            const exclude = listed(values.exclude) ?? [];
            return dumpData(client, { schemas, exclude, copy: values["use-copy"] ?? false }, write);
          }),
        );
      } else {
        if (file !== undefined) progress("Comparing with an empty project");
        const steps = await withTemporaryCluster(config, (cluster) =>
          dumpSchema(cluster, config, { connection: target.connection, prepare: becomePostgres }, schemas),
        ).finally(endProgress);
        if (steps.order.created.length > 0) throw new CommandError(steps.order.created.join("\n"));
        await write(`${steps.parts.join("\n\n")}\n`);
        for (const one of steps.order.altered) process.stderr.write(`${one}\n`);
        for (const one of [...steps.notCompared, ...steps.notStated.map(({ text }) => text)])
          process.stderr.write(`Not dumped: ${one}\n`);
        if (steps.parts.some((part) => /\bsupabase_functions\b/.test(part))) process.stderr.write(WEBHOOKS);
        if (steps.missing !== "") {
          throw new CommandError(`The dump does not produce the same schema. It lacks\n${steps.missing}`);
        }
      }
    };
    if (file === undefined || making === undefined) return dump();
    try {
      await dump();
      out.end();
      await finished(out);
      if (making !== file) renameSync(making, file);
    } catch (error) {
      if (making !== file) rmSync(making, { force: true });
      throw error;
    }
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ file: values.file, ...done })}\n`
        : `Dumped ${values["role-only"] ? "roles" : values["data-only"] ? `${done.rows} rows` : "schema"} to ${values.file}\n`,
    );
  },
};

const WEBHOOKS =
  "Not dumped: the schema supabase_functions of database webhooks, which the dump uses. Switch webhooks on before you " +
  "restore it: [experimental.webhooks] enabled = true in config.toml, or in the dashboard of a hosted project.\n";

function isSpecial(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}
