/** Owns `homebase db lint`: errors in the bodies of functions. */
import { checkFunctions } from "../../../tools/checks/functions.ts";
import { withClient } from "../../../tools/connection.ts";
import { NOT_PLATFORM } from "../../../tools/platform-schemas.ts";
import { type Command, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

const LEVELS = ["warning", "error"];
const FAIL_ON = ["none", ...LEVELS];

export const dbLint: Command = {
  values: { level: LEVELS, "fail-on": FAIL_ON },
  help: `Usage: homebase db lint [options]

Checks the bodies of functions with Postgres's own validators: the syntax of PL/pgSQL and of the SQL in it; of
functions in SQL also whether the tables, columns and functions that they name are there. The Supabase CLI uses
plpgsql_check, which also finds missing tables and wrong types in PL/pgSQL; it is not available here. For the
schema itself see homebase db advisors.

Options:
  -s, --schema LIST  only these schemas, with commas; may be repeated (default: all of the project)
  --level LEVEL      warning or error; there are no warnings
  --fail-on LEVEL    exit with 1 at this level: none (default), warning or error
${targetHelp}
${sharedHelp}

Examples:
  homebase db lint
  homebase db lint --schema public --fail-on error`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      ...targetOptions,
      schema: { type: "string", short: "s", multiple: true },
      level: { type: "string" },
      "fail-on": { type: "string" },
    });
    const failOn = values["fail-on"] ?? "none";
    if (!FAIL_ON.includes(failOn) || !LEVELS.includes(values.level ?? "warning")) {
      throw new CommandError("--level is warning or error; --fail-on is none, warning or error.", 2);
    }
    const target = await chosenTarget(values, "db lint");
    const found = await withClient(target, async (client) => {
      const { rows } = await client.query<{ nspname: string }>(
        `select nspname from pg_namespace where nspname ${NOT_PLATFORM}`,
      );
      const asked = listed(values.schema);
      return checkFunctions(client, asked ?? rows.map(({ nspname }) => nspname));
    });
    if (found.length === 0 && !values.json) process.stdout.write("No schema errors found\n");
    else process.stdout.write(`${JSON.stringify(found, undefined, values.json ? 0 : 2)}\n`);
    if (found.length > 0 && failOn !== "none") {
      throw new CommandError(
        `${found.length} ${found.length === 1 ? "function has" : "functions have"} errors.`,
      );
    }
  },
};
