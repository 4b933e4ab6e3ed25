/** Owns `homebase db diff`: the changes that the migrations lack, as SQL. */
import type { DiffRequest, DiffResult } from "../../../diff/project-diff.ts";
import {
  type Command,
  configFor,
  listed,
  parseOptions,
  type Refused,
  sharedHelp,
} from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { asking, CommandError } from "../../kit/terminal.ts";

const ELSEWHERE = "homebase db pull --db-url URL writes what another database has and your migrations lack.";
const ONE_ENGINE = "there is one engine, pg-delta.";
const REFUSED: Refused = {
  linked: ELSEWHERE,
  "db-url": ELSEWHERE,
  from: ELSEWHERE,
  to: ELSEWHERE,
  "use-migra": ONE_ENGINE,
  "use-pgadmin": ONE_ENGINE,
  "use-pg-schema": ONE_ENGINE,
};

export const dbDiff: Command = {
  help: `Usage: homebase db diff [options]

Compares the database that supabase/migrations produces with the files of supabase/schemas (or of
[db.migrations] schema_paths); without such files, with the running stack's database. Prints the statements that
are missing in the migrations.

Unlike the Supabase CLI's, it has one engine, and compares what is on this machine: for another database see
homebase db pull.

Options:
  -s, --schema LIST  only these schemas, with commas; may be repeated
  -f, --file NAME    write them as a new migration, supabase/migrations/<timestamp>_NAME.sql
  --local            this machine's database, which it is anyway
  --apply            change the running database to match supabase/schemas, without a migration
  --rename OLD=NEW   a column or table was renamed, not dropped: notes.name=notes.title, notes=archive.notes; may be
                     repeated. In a terminal -f and --apply ask; elsewhere they refuse while rows would be lost
  --no-rename        none was renamed (but for those of --rename): drop what is gone
${sharedHelp}

Examples:
  homebase db diff
  homebase db diff -f add_menus          # write it as a new migration
  homebase db diff -f title --rename notes.name=notes.title`,
  run: async (args) => {
    const options = {
      schema: { type: "string", short: "s", multiple: true },
      file: { type: "string", short: "f" },
      apply: { type: "boolean" },
      local: { type: "boolean" },
      rename: { type: "string", multiple: true },
      "no-rename": { type: "boolean" },
    } as const;
    const { values } = parseOptions(args, options, false, REFUSED);
    if (values.file !== undefined && values.apply) throw new CommandError("Use either --file or --apply.", 2);
    const schemas = listed(values.schema);
    const changes = values.file !== undefined || values.apply === true;
    const request: DiffRequest = {
      name: values.file,
      apply: values.apply,
      schemas,
      renames: values.rename,
      noRename: values["no-rename"],
      ask: changes && !values.json && process.stdin.isTTY && process.stderr.isTTY,
    };
    const ask = (of: DiffRequest) => running<DiffResult>(configFor(values), "diff", of);
    let result = await ask(request);
    if (result.asks) {
      const renames = [...(values.rename ?? []), ...(await renamesAmong(result.open))];
      result = await ask({ ...request, renames, noRename: true, ask: false });
    }
    if (values.json) return void process.stdout.write(`${JSON.stringify(result)}\n`);
    for (const one of [...result.notCompared, ...result.notStated.map(({ text }) => text)])
      process.stderr.write(`Not compared: ${one}\n`);
    for (const one of [...result.order.created, ...result.order.altered]) process.stderr.write(`${one}\n`);
    process.stderr.write(
      `Compared ${result.target === "schemas" ? "supabase/schemas" : "the running database"} against ${values.apply ? "the running database" : "supabase/migrations"}.\n`,
    );
    for (const { rename } of result.open) process.stderr.write(`Renamed? --rename ${rename}\n`);
    // Empty output for a pipe into a migration, as the Supabase CLI's.
    if (result.sql === "") process.stderr.write(agreement(result));
    else process.stdout.write(words(result));
    if (result.destructive) process.stderr.write("It may lose data: read it before you use it.\n");
  },
};

/** Asks on the terminal which of these are renames. */
async function renamesAmong(open: DiffResult["open"]): Promise<string[]> {
  return asking(async (ask) => {
    const renames: string[] = [];
    for (const { rename, type } of open) {
      const [from, to] = rename.split("=");
      const both = type === undefined ? "" : `, both ${type}`;
      if (await ask(`${from} is gone and ${to} is new${both}. Renamed?`)) renames.push(rename);
    }
    return renames;
  });
}

function agreement({ target, applied }: DiffResult): string {
  if (applied === false) return "The database matches the schema files.\n";
  return `${target === "schemas" ? "The schema files" : "The database"} and the migrations agree.\n`;
}

function words({ sql, files, applied }: DiffResult): string {
  if (files !== undefined) return files.map((file) => `Wrote ${file}\n`).join("");
  return applied ? `${sql}\nApplied.\n` : `${sql}\n`;
}
