/** Owns `homebase supabase`, which `homebase link-cli` installs as `supabase`. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, loadConfig } from "../../../config/config.ts";
import { findProject } from "../../../config/find-project.ts";
import { control } from "../../kit/control.ts";
import { chosenCommand } from "../../kit/group.ts";
import type { Command, CommandEntry } from "../../kit/options.ts";
import { controlSocketPath } from "../../kit/state.ts";
import { CommandError } from "../../kit/terminal.ts";
import { startInBackground } from "./background-start.ts";
import { routeOf } from "./command-route.ts";
import { findRealCli, runRealCli } from "./real-cli.ts";

const HELP = `Usage: homebase supabase <command of the Supabase CLI> [options]

Runs a command line of the Supabase CLI as it is. Homebase runs it where it has the command and the line is about this
machine; a start returns, as that CLI's does. Every other line goes unchanged to the real CLI, that of node_modules
or PATH: one that names a project or a database (--linked, --remote, --db-url, --project-ref, --password), db push, db
pull, and db dump, migration list, repair and fetch without --local, whose default is the linked project in versions 1
and 2. homebase link-cli makes supabase mean this command.

What has no effect here (--debug, --network-id) is said on standard error.

Here: start, stop, status, db start, reset, diff, dump, lint, gen types, test db, test new, migration new, up, list,
repair, squash, fetch, functions new, serve, seed buckets.

Options:
  -h, --help         this text; after a command, that command's

Examples:
  homebase supabase start
  homebase supabase gen types typescript --local > src/database.types.ts`;

/** The command, for the list of commands that it chooses from. */
export function supabaseOf(commands: Readonly<Record<string, CommandEntry>>): Command {
  return { help: HELP, ownHelp: true, run: (args, wings) => run(commands, args, wings) };
}

async function run(
  commands: Readonly<Record<string, CommandEntry>>,
  args: string[],
  wings: Parameters<Command["run"]>[1],
): Promise<void> {
  const route = routeOf(args, { linked: isLinked(args) });
  if (route.to === "real") return handOn(args, route.reason);
  const [first = "", ...rest] = route.command.split(" ");
  const entry = commands[first];
  if (!entry) throw new Error(`The list of commands has no ${first}.`);
  const { command, words } = await chosenCommand(entry, [...rest, ...route.args]);
  if (words.includes("--help") || words.includes("-h")) return void process.stdout.write(`${command.help}\n`);
  for (const note of route.notes) process.stderr.write(`${note}\n`);
  try {
    if (route.command === "start" || route.command === "db start")
      await startInBackground(route.command, words);
    else await command.run(words, wings);
  } catch (error) {
    // The CLI ends with 1 for every error.
    if (error instanceof CommandError && error.exitCode === 2) throw new CommandError(error.message, 1);
    throw error;
  }
}

async function handOn(args: readonly string[], reason: string): Promise<void> {
  const path = findRealCli(process.cwd());
  if (path !== undefined) return runRealCli(path, args, await localPorts(args));
  if (args.length === 0 || args[0] === "--help" || args[0] === "-h")
    return void process.stdout.write(`${HELP}\n`);
  throw new CommandError(
    `supabase ${args.join(" ")} is for the Supabase CLI (${reason}), which is neither in node_modules nor on PATH. ` +
      `Install it: npm install --save-dev supabase${args[0] === "init" ? "\nA new project without it: homebase init" : ""}`,
  );
}

/** The real CLI takes this machine's ports from config.toml: for a line with --local it gets those of the running stack. */
async function localPorts(args: readonly string[]): Promise<Record<string, string>> {
  if (!args.some((word) => /^--local(=true)?$/.test(word))) return {};
  let socket: string;
  try {
    socket = controlSocketPath(loadConfig({ from: projectOf(args) }));
  } catch (error) {
    // The real CLI has its own words for a config.toml with a mistake.
    if (error instanceof ConfigError) return {};
    throw error;
  }
  const running = await control<{ variables: Record<string, string> }>(socket, "status");
  if (!running) return {};
  const { API_URL = "", DB_URL = "" } = running.variables;
  return { SUPABASE_API_PORT: new URL(API_URL).port, SUPABASE_DB_PORT: new URL(DB_URL).port };
}

/** Whether `supabase link` has linked the project's folder, or the environment names a project. */
function isLinked(args: readonly string[]): boolean {
  if (process.env.SUPABASE_PROJECT_ID) return true;
  const link = join(projectOf(args), "supabase", ".temp");
  return ["project-ref", "linked-project.json"].some((file) => existsSync(join(link, file)));
}

/** The folder of the project that a line is about. */
function projectOf(args: readonly string[]): string {
  const at = args.findIndex((word) => /^--workdir(=|$)/.test(word));
  const named = at < 0 ? undefined : (/=(.*)$/.exec(args[at] ?? "")?.[1] ?? args[at + 1]);
  return findProject(resolve(named ?? "."), process.env, named !== undefined);
}
