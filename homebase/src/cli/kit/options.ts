/** Owns the options that every command shares, and the configuration that they lead to. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Config, loadConfig } from "../../config/config.ts";
import { nearest } from "../../config/ignored-keys.ts";
import { moveConfigPorts, storedOffset } from "../../developer/port-choice.ts";
import type { StackWing } from "../../developer/stack-wing.ts";
import { CommandError } from "./terminal.ts";

/** A command of the CLI. */
export interface Command {
  /** The text of `--help`. */
  help: string;
  /** @param wings what a stack that it starts has besides the core */
  run(args: string[], wings: readonly StackWing[]): Promise<void>;
  /** What an option takes, where that is a list, by its long name; for completion. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** The same of its argument. */
  arguments?: readonly string[];
  /** Whether --help is among its arguments: it hands them on. */
  ownHelp?: true;
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

/** Options of the Supabase CLI's command of the same name that are not built: by name, with what to use. */
export type Refused = Readonly<Record<string, string>>;

/**
 * Parses a command's arguments.
 * @throws CommandError (exit code 2) for an option that it does not have.
 */
export function parseOptions<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
  allowPositionals = false,
  refused: Refused = {},
) {
  // The Supabase CLI's --remote without a value means the linked project.
  const words =
    "remote" in options && "linked" in options
      ? args.map((word, at) => (isBareRemote(word, args[at + 1]) ? "--linked" : word))
      : args;
  const known = { ...sharedOptions, ...options };
  refuse(words, known, refused);
  return parseWords("output" in options ? words : withJson(words), known, allowPositionals);
}

/**
 * Parses words by these options alone.
 * @throws CommandError (exit code 2), with the option that was probably meant
 */
export function parseWords<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({ args, options, allowPositionals });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, unknown] = /^Unknown option '(-[^']+)'/.exec(message) ?? [];
    if (unknown === undefined) throw new CommandError(`${message}\nTry --help.`, 2);
    const meant = similar(unknown.replace(/^-+/, ""), Object.keys(options));
    throw new CommandError(
      `There is no option ${unknown} here.${meant === undefined ? "" : ` Did you mean --${meant}?`}\nTry --help.`,
      2,
    );
  }
}

/** The entries of an option that takes commas and may be repeated. */
export function listed(values: readonly string[] | undefined): string[] | undefined {
  return values?.flatMap((one) => one.split(",")).map((one) => one.trim());
}

/** The name that was probably meant. */
export function similar(name: string, names: readonly string[]): string | undefined {
  const plain = (one: string) => one.replaceAll("-", "_");
  const found = nearest(name, names.map(plain));
  return names.find((one) => plain(one) === found);
}

/** @throws CommandError for an option of the Supabase CLI that is not built */
function refuse(words: readonly string[], known: object, refused: Refused): void {
  const end = words.indexOf("--");
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const [, name = ""] = /^--([^=]+)/.exec(word) ?? [];
    const instead = { ...REFUSED_EVERYWHERE, ...refused }[name];
    if (instead !== undefined && !Object.hasOwn(known, name)) {
      throw new CommandError(`--${name} is not built: ${instead}`, 2);
    }
  }
}

/** Options that every command of the Supabase CLI has. */
const REFUSED_EVERYWHERE: Refused = {
  linked: "Homebase keeps no links to projects, and this command works on the stack of this machine.",
  profile: "Homebase has no accounts. homebase hosted starts a stand-in for a hosted project.",
  "network-id": "there are no containers and no networks of containers.",
};

/** The Supabase CLI's `--output json` as `--json`. @throws CommandError for another format */
function withJson(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return [...found, ...words.slice(at)];
    const [, inline] = /^--output=(.*)$/.exec(word) ?? [];
    const format = inline ?? (word === "--output" || word === "-o" ? words[at + 1] : undefined);
    if (format === undefined) found.push(word);
    else if (format === "json") found.push("--json");
    else if (!["pretty", "text"].includes(format)) {
      throw new CommandError(`--output takes pretty or json (the same as --json) here, not ${format}.`, 2);
    }
    if (format !== undefined && inline === undefined) at += 1;
  }
  return found;
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
  const config = loadConfig({ named: values.workdir });
  const offset = Number(demandedOffset(values) ?? storedOffset(config.projectFolder));
  if (!Number.isInteger(offset) || offset < 0 || offset > 10_000) {
    throw new CommandError("--port-offset takes a whole number from 0 to 10000.", 2);
  }
  moveConfigPorts(config, offset);
  return config;
}
