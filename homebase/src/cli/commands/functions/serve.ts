/** Owns `homebase functions serve`: the running stack serves them, so this shows where and follows their log. */
import { listFunctions } from "../../../functions/project-functions.ts";
import { type Command, configFor, parseOptions, type Refused, sharedHelp } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { logs } from "../logs/logs.ts";

const REFUSED: Refused = {
  "no-verify-jwt": "set verify_jwt = false below [functions.NAME] in supabase/config.toml.",
  "env-file": "the stack reads supabase/functions/.env.",
  "import-map": "set import_map below [functions.NAME] in supabase/config.toml.",
  inspect: "homebase start --inspect gives each function an inspector.",
  "inspect-mode": "homebase start --inspect gives each function an inspector.",
  "inspect-main": "there is no main worker.",
};

export const functionsServe: Command = {
  help: `Usage: homebase functions serve [options]

A running stack serves the functions, and reloads them when they are saved. This lists their addresses and follows
their log until Ctrl+C. Start the stack with homebase start.

Options:
${sharedHelp}

Examples:
  homebase functions serve`,
  run: async (args) => {
    // Names of functions are legacy in the Supabase CLI too: all of them are served.
    const { values } = parseOptions(args, {}, true, REFUSED);
    const config = configFor(values);
    const status = await running<{ variables: { API_URL: string } }>(config, "status");
    const addresses = listFunctions(config).map((name) => `${status.variables.API_URL}/functions/v1/${name}`);
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ kind: "functions", addresses })}\n`
        : addresses.length === 0
          ? "There is no function yet: homebase functions new hello\n"
          : `Served by the running stack:\n${addresses.map((one) => `  ${one}\n`).join("")}`,
    );
    const folder = ["--workdir", config.projectFolder, ...(values.json ? ["--json"] : [])];
    await logs.run(["functions", "--follow", "--lines", "0", ...folder], []);
  },
};
