/** Owns `homebase db lint`: errors in the bodies of functions. */
import { checkFunctions, type FunctionIssues } from "../../../plpgsql/checked-functions.ts";
import { withClient } from "../../../tools/command-connection.ts";
import { NOT_PLATFORM } from "../../../tools/platform-schemas.ts";
import { type Command, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { chosenTarget, targetHelp, targetOptions } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";

const LEVELS = ["warning", "error"];
const FAIL_ON = ["none", ...LEVELS];

export const dbLint: Command = {
  values: { level: LEVELS, "fail-on": FAIL_ON },
  help: `Usage: homebase db lint [options]

Checks the bodies of functions without running one. PL/pgSQL: each statement and expression of a body (missing tables,
columns and functions, types, ambiguous names), a function that ends without RETURN, code that nothing reaches, variables
that are unused, never read or shadowed, and format() with too few arguments; a trigger's function with the rows of each
of its tables. SQL: what its names and types are. Not checked: a text of EXECUTE that is no constant, and what depends
on a record or type that is known only when the function runs. Messages and JSON are those of plpgsql_check, which the
Supabase CLI uses. For the schema itself see homebase db advisors.

Options:
  -s, --schema LIST  only these schemas, with commas; may be repeated (default: all of the project)
  --level LEVEL      what is told: warning (default) or error
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
    const { found, notChecked } = await withClient(target, async (client) => {
      const { rows } = await client.query<{ nspname: string }>(
        `select nspname from pg_namespace where nspname ${NOT_PLATFORM}`,
      );
      const asked = listed(values.schema) ?? rows.map(({ nspname }) => nspname);
      // The session finds the catalogue only; the path that a login has is what a function without one runs with.
      const { rows: paths } = await client.query<{ path: string }>(
        "select reset_val as path from pg_settings where name = 'search_path'",
      );
      return checkFunctions(client, asked, paths[0]?.path ?? "");
    });
    const told = values.level === "error" ? ofLevel(found, "error") : found;
    for (const { function: name, reason } of notChecked)
      process.stderr.write(`! ${name} is not checked: ${reason}\n`);
    if (told.length === 0 && !values.json) process.stdout.write("No schema errors found\n");
    else process.stdout.write(`${JSON.stringify(told, undefined, values.json ? 0 : 2)}\n`);
    const failing = failOn === "none" ? [] : failOn === "error" ? ofLevel(found, "error") : found;
    if (failing.length > 0)
      throw new CommandError(
        `${failing.length} ${failing.length === 1 ? "function has" : "functions have"} ${failOn === "error" ? "errors" : "errors or warnings"}.`,
      );
  },
};

function ofLevel(found: readonly FunctionIssues[], level: string): FunctionIssues[] {
  return found
    .map((one) => ({ ...one, issues: one.issues.filter((issue) => issue.level === level) }))
    .filter(({ issues }) => issues.length > 0);
}
