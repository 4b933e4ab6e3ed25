/** Owns `homebase migration repair`: rows of a database's history, without running a file. */

import {
  becomePostgres,
  markApplied,
  markReverted,
  readHistory,
} from "../../../postgres/files/migration-history.ts";
import { readMigrations } from "../../../postgres/files/project-files.ts";
import { transactWith } from "../../../postgres/transaction.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

export const migrationRepair: Command = {
  values: { status: ["applied", "reverted"] },
  help: `Usage: homebase migration repair [version ...] --status <applied|reverted> [options]

Changes only the history of a database, not its schema: marks files as applied, or removes versions. Without a
version it applies to all files (applied) or all rows (reverted).

Options:
  --status STATUS    applied or reverted
${targetHelp}
${sharedHelp}

Examples:
  homebase migration repair 20260101000000 --status reverted
  homebase migration repair --status applied --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const options = { ...targetOptions, status: { type: "string" } } as const;
    const { values, positionals: given } = parseOptions(args, options, true);
    const positionals: readonly string[] = given;
    const { status } = values;
    if (status !== "applied" && status !== "reverted") {
      throw new CommandError("--status is applied or reverted.", 2);
    }
    const wrong = positionals.find((version) => !/^\d+$/.test(version));
    if (wrong !== undefined)
      throw new CommandError(`${wrong} is not a version: versions consist of digits.`, 2);
    const files = readMigrations(configFor(values));
    const chosen = files.filter(({ version }) => positionals.length === 0 || positionals.includes(version));
    const missing = positionals.filter((version) => !files.some((file) => file.version === version));
    if (status === "applied" && missing.length > 0) {
      throw new CommandError(`There is no file of version ${missing.join(", ")} in supabase/migrations.`);
    }
    const target = await chosenTarget(values, "migration repair");
    const versions = await withClient(target, async (client) => {
      await becomePostgres(client);
      return transactWith(client, async () => {
        const known = (await readHistory(client)).map(({ version }) => version);
        const all = positionals.length > 0 ? positionals : known;
        return status === "applied"
          ? await markApplied(client, chosen).then(() => chosen.map(({ version }) => version))
          : await markReverted(client, all);
      });
    });
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ status, versions })}\n`
        : `Repaired migration history: [${versions.join(" ")}] => ${status}\n`,
    );
  },
};
