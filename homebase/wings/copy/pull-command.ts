/** Owns `homebase pull --data`: rows of another database in the running stack's, masked. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, configFor, listed, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { addressOf, chosenTarget, targetOptions } from "../../src/cli/kit/target.ts";
import { CommandError, endProgress, progress } from "../../src/cli/kit/terminal.ts";
import type { Config } from "../../src/config/config.ts";
import { linkThatLeaves } from "../../src/config/project-paths.ts";
import { claimStateFolder } from "../../src/postgres/cluster/state-folder.ts";
import { becomePostgres } from "../../src/postgres/files/migration-history.ts";
import { withClient } from "../../src/tools/command-connection.ts";
import { RowCopy } from "./copy.ts";
import { Mask } from "./mask.ts";

const DEFAULT_ROWS = 100;

export const pull: Command = {
  help: `Usage: homebase pull --data --mask --db-url URL [options]

Copies rows of a database into the running stack's: the first of each chosen table, and all rows that they refer to,
accounts included. The other database is only read; triggers do not run here, and rows whose key already exists here stay unchanged.

--mask replaces every value but generated keys, references to them, times of creation and change, and what
supabase/unmasked.txt names: a column a line, as schema.table.column, with * for any text. Other values keep
the column's type, checks and uniqueness, and the same value always gets the same replacement, derived from a
key in .homebase. If a column has no other valid value, nothing is copied. Without --mask, --yes is required.

Options:
  --data             rows; required, as nothing else is pulled (schema: homebase db pull)
  --mask             replace all values but keys, times of creation and change, and those of unmasked.txt
  --db-url URL       the database to copy from; --remote=URL means the same
  -t, --table LIST   these tables, with commas; may be repeated (default: all of schema public)
  --rows N           maximum number of rows of each chosen table (default ${DEFAULT_ROWS})
  --dry-run          show what would be copied and masked
  -y, --yes          copy without --mask
${sharedHelp}

Examples:
  homebase pull --data --mask --db-url "$DATABASE_URL" --dry-run
  homebase pull --data --mask --db-url "$DATABASE_URL" --table orders,customers --rows 500`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      ...targetOptions,
      data: { type: "boolean" },
      mask: { type: "boolean" },
      table: { type: "string", short: "t", multiple: true },
      rows: { type: "string" },
      "dry-run": { type: "boolean" },
      yes: { type: "boolean", short: "y" },
    });
    if (!values.data) {
      throw new CommandError(
        "homebase pull copies rows: --data. For the schema: homebase db pull. For the settings of a hosted project use the Supabase CLI: npx supabase pull",
        2,
      );
    }
    if (addressOf(values, "pull") === undefined)
      throw new CommandError("Name the source database: --db-url URL.", 2);
    const limit = Number(values.rows ?? DEFAULT_ROWS);
    if (!Number.isInteger(limit) || limit < 1)
      throw new CommandError("--rows takes a whole number from 1.", 2);
    const config = configFor(values);
    const from = await chosenTarget(values, "pull");
    const { workdir, "port-offset": offset } = values;
    const dry = values["dry-run"] ?? false;
    const to = dry ? undefined : await chosenTarget({ workdir, "port-offset": offset }, "pull");
    const mask = values.mask ? new Mask(maskKey(claimStateFolder(config.projectFolder))) : undefined;
    const tables = listed(values.table) ?? [];
    if (!values.json) progress("Reading");
    const copy = await withClient(from, async (client) => {
      await becomePostgres(client);
      return RowCopy.read(client, { tables, limit, mask, unmasked: mask ? rulesOf(config) : [] });
    }).finally(endProgress);
    const { plan } = copy;
    if (!dry && !mask && !values.yes) {
      throw new CommandError(
        "Nothing was copied: without --mask the rows would be copied unchanged. Add --mask, or --yes to copy them anyway.",
      );
    }
    const written = to && (await withClient(to, (client) => copy.write(client)));
    if (values.json) {
      return void process.stdout.write(
        `${JSON.stringify({ ...plan, ...(written === undefined ? {} : { written }) })}\n`,
      );
    }
    const lines = [
      ...plan.tables.map(({ name, rows }) => `${String(rows).padStart(7)}  ${name}`),
      ...(plan.masked.length > 0 ? ["Masked:", ...plan.masked.map((column) => `  ${column}`)] : []),
      ...(plan.passed.length > 0
        ? ["Unchanged:", ...plan.passed.map(({ column, reason }) => `  ${column} (${REASONS[reason]})`)]
        : []),
      written === undefined ? "Nothing was copied (--dry-run)." : `Copied ${written} rows.`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  },
};

const REASONS = {
  key: "generated key, or a reference to one",
  time: "time of creation or change",
  rule: "named in supabase/unmasked.txt",
  platform: "needed by the platform, about no one",
} as const;

/** The lines of `unmasked.txt`. */
function rulesOf({ projectFolder, supabaseFolder }: Config): string[] {
  const file = join(supabaseFolder, "unmasked.txt");
  if (!existsSync(file)) return [];
  const reason = linkThatLeaves(projectFolder, file);
  if (reason !== undefined) throw new CommandError(reason);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim());
  return lines.filter((line) => line !== "");
}

/** The key of the masks: made once, readable by this user only. */
function maskKey(folder: string): Buffer {
  const file = join(folder, "mask.key");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, randomBytes(32), { mode: 0o600 });
  }
  return readFileSync(file);
}
