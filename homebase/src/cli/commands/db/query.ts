/** Owns `homebase db query`: SQL that is run as it is given. */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { connected } from "../../../postgres/connected.ts";
import { type Command, parseOptions, sharedHelp } from "../../kit/options.ts";
import { textTable } from "../../kit/table.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

export const dbQuery: Command = {
  help: `Usage: homebase db query [SQL] [options]

Runs SQL as role postgres, and prints the rows. Without SQL or --file it reads standard input. Several statements
run in one transaction: either all of them, or, after an error, none.

Options:
  -f, --file FILE    read the SQL from a file
  --read-only        in a transaction that cannot change anything
${targetHelp}
${sharedHelp}

Examples:
  homebase db query "select * from auth.users limit 5"
  homebase db query -f report.sql --read-only --db-url "$DATABASE_URL" --json`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      { ...targetOptions, file: { type: "string", short: "f" }, "read-only": { type: "boolean" } },
      true,
    );
    if (positionals.length > 1) throw new CommandError("Give the SQL in quotes, as one word.", 2);
    const sql = await givenSql(positionals[0], values.file);
    if (sql.trim() === "") throw new CommandError(`There is no SQL. ${HOW}`, 2);
    const target = await chosenTarget(values, "db query");
    const results = await connected(target.connection, async (client) => {
      if (values["read-only"]) await client.query("set default_transaction_read_only = on");
      return runAll(client, sql);
    });
    if (values.json) {
      const objects = results.map(({ fields, rows }) =>
        rows.map((row) => Object.fromEntries(fields.map(({ name }, at) => [name, row[at] ?? null]))),
      );
      return void process.stdout.write(`${JSON.stringify(objects.length === 1 ? objects[0] : objects)}\n`);
    }
    for (const { fields, rows, command, rowCount } of results) {
      process.stdout.write(
        fields.length > 0
          ? `${textTable(
              fields.map(({ name }) => name),
              rows.map((row) => row.map((value) => value ?? "")),
            )}(${rows.length} ${rows.length === 1 ? "row" : "rows"})\n`
          : `${command}${rowCount === null ? "" : ` ${rowCount}`}\n`,
      );
    }
  },
};

const HOW = 'Give it in quotes (homebase db query "select 1"), by --file, or on standard input.';

async function givenSql(given: string | undefined, file: string | undefined): Promise<string> {
  if (given !== undefined && file !== undefined) throw new CommandError("Give either SQL or --file.", 2);
  if (given !== undefined) return given;
  try {
    if (file !== undefined) return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, 2);
  }
  if (process.stdin.isTTY) throw new CommandError(`There is no SQL. ${HOW}`, 2);
  try {
    return await text(process.stdin);
  } catch (error) {
    // E.g. a script has closed it.
    throw new CommandError(`Standard input cannot be read: ${(error as Error).message}. ${HOW}`, 2);
  }
}

type Result = pg.QueryArrayResult<(string | null)[]>;

/** All values stay Postgres's own text. @throws CommandError with Postgres's error and its place */
async function runAll(client: pg.Client, sql: string): Promise<Result[]> {
  try {
    const result = (await client.query({
      text: sql,
      rowMode: "array",
      types: { getTypeParser: () => (value: string | Buffer) => String(value) },
    })) as unknown as Result | Result[];
    return [result].flat();
  } catch (error) {
    const { code, message, detail, hint, position } = error as pg.DatabaseError;
    if (code === undefined) throw error;
    const line =
      position === undefined ? "" : ` (line ${sql.slice(0, Number(position) - 1).split("\n").length})`;
    throw new CommandError(
      [`${code}: ${message}${line}`, detail, hint].filter((text) => text !== undefined).join("\n"),
    );
  }
}
