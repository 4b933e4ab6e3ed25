/** Owns the options that every command shares, and the configuration that they lead to. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { moveConfigPorts, storedOffset } from "../backend/port-choice.ts";
import { type Config, ConfigError, loadConfig } from "../config/config.ts";
import { CommandError } from "./terminal.ts";

/** A command of the CLI. */
export interface Command {
  /** The text of `--help`. */
  help: string;
  run(args: string[]): Promise<void>;
  /** Those of a command that only hands over to one of them. */
  subcommands?: Record<string, CommandEntry>;
}

/** A command in the list of commands. */
export interface CommandEntry {
  /** One line for the overview. */
  summary: string;
  load(): Promise<Command>;
}

export const sharedOptions = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  workdir: { type: "string" },
  "port-offset": { type: "string" },
} as const satisfies ParseArgsConfig["options"];

/** Lines about the shared options, for each command's help. */
export const sharedHelp = `  --workdir FOLDER   the folder with supabase/ (default: this one or the nearest one above)
  --port-offset N    add N to every port of config.toml, to run beside another stack
  --json             machine-readable output
  -h, --help         this text`;

/**
 * Parses a command's arguments.
 * @throws CommandError (exit code 2) for an option that it does not have.
 */
export function parseOptions<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
  allowPositionals = false,
) {
  // The Supabase CLI's --remote without a value means the linked project.
  const words =
    "remote" in options && "linked" in options
      ? args.map((word, at) => (isBareRemote(word, args[at + 1]) ? "--linked" : word))
      : args;
  try {
    return parseArgs({ args: words, options: { ...sharedOptions, ...options }, allowPositionals });
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\nTry --help.`, 2);
  }
}

function isBareRemote(word: string, next: string | undefined): boolean {
  return word === "--remote" && !next?.includes("://");
}

/** The offset that the command line or the environment demands. */
export function demandedOffset(values: { "port-offset"?: string | undefined }): string | undefined {
  return values["port-offset"] ?? process.env.HOMEBASE_PORT_OFFSET;
}

/** The project's configuration with the ports moved as asked. */
export function configFor(values: {
  workdir?: string | undefined;
  "port-offset"?: string | undefined;
}): Config {
  try {
    const config = loadConfig({ from: values.workdir ?? process.cwd() });
    const offset = Number(demandedOffset(values) ?? storedOffset(config.projectFolder));
    if (!Number.isInteger(offset) || offset < 0 || offset > 10_000) {
      throw new CommandError("--port-offset takes a whole number from 0 to 10000.", 2);
    }
    moveConfigPorts(config, offset);
    return config;
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message);
    throw error;
  }
}
