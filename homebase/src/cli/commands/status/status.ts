/** Owns `homebase status`: prints the Supabase CLI's variables for the running stack. */
import type { InstalledExtension } from "../../../postgres/extensions/installed.ts";
import type { FileProblem } from "../../../postgres/files/errors.ts";
import type { RealtimeFigures } from "../../../realtime/service.ts";
import { type Command, configFor, listed, parseOptions, sharedHelp } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { stateFolder } from "../../kit/state.ts";
import { variableLine } from "../../kit/status-variables.ts";
import { CommandError, paint, table } from "../../kit/terminal.ts";
import { renamed } from "./renamed.ts";

/** The file that could not be applied, and what is open because of it. */
interface NotApplied extends FileProblem {
  description: string;
  unprotected: string[];
}

/** How -o prints the variables; JSON strings are also strings of YAML and TOML. */
const PRINTED: Readonly<Record<string, (variables: Readonly<Record<string, string>>) => string>> = {
  env: (variables) => lines(variables, variableLine),
  json: (variables) => `${JSON.stringify(variables, null, 2)}\n`,
  toml: (variables) => lines(variables, (name, value) => `${name} = ${JSON.stringify(value)}\n`),
  yaml: (variables) => lines(variables, (name, value) => `${name}: ${JSON.stringify(value)}\n`),
};
const FORMATS = ["pretty", ...Object.keys(PRINTED)];

export const status: Command = {
  values: { output: FORMATS },
  help: `Usage: homebase status [options]

Prints the addresses and keys of the running stack under the names that the Supabase CLI uses; MCP_TOKEN, which it has
not, is of this start. Exits with 1 when the stack is not running.

With -o json, as with env, yaml and toml, these are the variables and no more; --json has also the extensions and what is
not applied.

Options:
  -o, --output FORMAT   pretty (default), env, json, yaml or toml
  --override-name NAME  another name for a variable, as api.url=NEXT_PUBLIC_SUPABASE_URL; with commas, or repeated
${sharedHelp}

Examples:
  homebase status
  eval "$(homebase status -o env)"; psql "$DB_URL"
  homebase status --json | jq -r .PUBLISHABLE_KEY`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      output: { type: "string", short: "o" },
      "override-name": { type: "string", multiple: true },
    });
    const format = values.output ?? "pretty";
    if (!FORMATS.includes(format)) {
      throw new CommandError(`--output takes ${FORMATS.join(", ")}, not ${format}.`, 2);
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
    const variables = renamed(state.variables, listed(values["override-name"]) ?? []);
    const { extensions = [], notApplied } = state;
    const missing = state.stateFolder
      ? undefined
      : `${stateFolder(config)} was removed while the stack runs: stop it with homebase stop; the next start begins with an empty database`;
    if (values.json) {
      process.stdout.write(`${JSON.stringify({ ...variables, extensions, notApplied, missing }, null, 2)}\n`);
    } else if (PRINTED[format]) {
      process.stdout.write(PRINTED[format](variables));
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

function lines(
  variables: Readonly<Record<string, string>>,
  line: (name: string, value: string) => string,
): string {
  return Object.entries(variables)
    .map(([name, value]) => line(name, value))
    .join("");
}

/** Whether the write-ahead log is read, and how much of it Postgres retains for that. */
export function realtimeLine({ sockets, channels, heldLogBytes }: RealtimeFigures): string {
  const listening = `${channels} ${channels === 1 ? "channel" : "channels"} on ${sockets} ${sockets === 1 ? "socket" : "sockets"}`;
  if (heldLogBytes === null) return `${listening}; no replication slot`;
  return `${listening}; its replication slot retains ${(heldLogBytes / 1024 ** 2).toFixed(1)} MB (at most 4 GB)`;
}
