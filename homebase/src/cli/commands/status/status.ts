/** Owns `homebase status`: prints the Supabase CLI's variables for the running stack. */
import type { InstalledExtension } from "../../../postgres/extensions/installed.ts";
import type { FileProblem } from "../../../postgres/files/errors.ts";
import type { RealtimeFigures } from "../../../realtime/service.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { stateFolder } from "../../kit/state.ts";
import { CommandError, paint, table } from "../../kit/terminal.ts";
import { variableLine } from "../../kit/variables.ts";

/** The file that could not be applied, and what is open because of it. */
interface NotApplied extends FileProblem {
  description: string;
  unprotected: string[];
}

const FORMATS = ["pretty", "env", "json"];

export const status: Command = {
  values: { output: FORMATS },
  help: `Usage: homebase status [options]

Prints the addresses and keys of the running stack under the names that the Supabase CLI uses; MCP_TOKEN, which it has
not, is of this start. Exits with 1 when the stack is not running.

The names are fixed: the Supabase CLI's --override-name is refused, and so are -o yaml and -o toml.

Options:
  -o, --output FORMAT   pretty (default), env or json
${sharedHelp}

Examples:
  homebase status
  eval "$(homebase status -o env)"; psql "$DB_URL"
  homebase status --json | jq -r .PUBLISHABLE_KEY`,
  run: async (args) => {
    const { values } = parseOptions(args, { output: { type: "string", short: "o" } }, false, {
      "override-name": "the names are fixed. Give a variable another one in your shell, after -o env.",
    });
    const format = values.json ? "json" : (values.output ?? "pretty");
    if (!FORMATS.includes(format)) {
      throw new CommandError(`--output takes pretty, env or json, not ${format}.`, 2);
    }
    const config = configFor(values);
    const state = await running<{
      pid: number;
      variables: Record<string, string>;
      notApplied?: NotApplied;
      stateFolder: boolean;
      realtime?: RealtimeFigures;
      extensions?: InstalledExtension[];
    }>(config, "status");
    const { variables } = state;
    const { extensions = [], notApplied } = state;
    const missing = state.stateFolder
      ? undefined
      : `${stateFolder(config)} was removed while the stack runs: stop it with homebase stop; the next start begins with an empty database`;
    if (format === "json") {
      process.stdout.write(`${JSON.stringify({ ...variables, extensions, notApplied, missing }, null, 2)}\n`);
    } else if (format === "env") {
      for (const [name, value] of Object.entries(variables)) process.stdout.write(variableLine(name, value));
    } else {
      const rows = Object.entries(variables);
      if (state.realtime) rows.push(["Realtime", realtimeLine(state.realtime)]);
      for (const kind of ["real", "stand-in", "inert"] as const) {
        const names = extensions.filter((one) => one.class === kind).map(({ name }) => name);
        if (names.length > 0) rows.push([`Extensions, ${kind}`, names.join(", ")]);
      }
      if (notApplied) rows.push(["Not applied", notApplied.file]);
      if (notApplied && notApplied.unprotected.length > 0)
        rows.push(["Without row level security", notApplied.unprotected.join(", ")]);
      if (missing !== undefined) rows.push(["Missing", paint("red", missing)]);
      const why = notApplied ? `${notApplied.description}\n` : "";
      process.stdout.write(`${paint("green", "Running")} (pid ${state.pid})\n${table(rows)}\n${why}`);
    }
  },
};

/** Whether the write-ahead log is read, and how much of it Postgres retains for that. */
export function realtimeLine({ sockets, channels, heldLogBytes }: RealtimeFigures): string {
  const listening = `${channels} ${channels === 1 ? "channel" : "channels"} on ${sockets} ${sockets === 1 ? "socket" : "sockets"}`;
  if (heldLogBytes === null) return `${listening}; no replication slot`;
  return `${listening}; its replication slot retains ${(heldLogBytes / 1024 ** 2).toFixed(1)} MB (at most 4 GB)`;
}
