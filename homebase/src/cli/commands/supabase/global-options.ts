/**
 * Owns the options that every command of the Supabase CLI has: what each does for a command of Homebase. None is dropped
 * without a word.
 */

/** Options without an effect here, by name, with the reason. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  debug: "what the services log is in homebase logs",
  experimental: "every command of Homebase works without it",
  "create-ticket": "an error of Homebase is not for Supabase's support",
  yes: "this command asks nothing that yes would answer",
  "network-id": "there are no containers, and no network of them",
  "dns-resolver": "the stack is reached by the address of this machine",
  "log-level": "what the services log is in homebase logs",
  agent: "the output is the same for people and for agents",
};
/** Those of them with a value. */
const WITH_VALUE = new Set(["network-id", "dns-resolver", "log-level", "agent"]);
/** Formats for people are what every command prints anyway. */
const PLAIN = ["pretty", "text"];
/** Options that are commands by themselves, of the CLI alone. */
const COMMANDS = ["wizard", "completions"];

/** A command line without the options of every command, and what those mean for it. */
export interface WithoutGlobals {
  words: string[];
  /** Those that Homebase's commands have too. */
  handedOn: string[];
  /** The format of the output, where it is none for people. */
  output: string | undefined;
  /** Whether --yes is among them. */
  yes: boolean;
  /** An option that asks for something that only the CLI has: its version, its wizard. */
  ownOf: string | undefined;
  /** One sentence for each that has no effect. */
  notes: string[];
}

/** The options may be before the command's words, and after them. */
export function withoutGlobals(args: readonly string[]): WithoutGlobals {
  const found: WithoutGlobals = {
    words: [],
    handedOn: [],
    output: undefined,
    yes: false,
    ownOf: undefined,
    notes: [],
  };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (word === "--") {
      found.words.push(...args.slice(at));
      break;
    }
    const name = optionName(word) ?? "";
    const inline = /^--[^=]+=(.*)$/s.exec(word)?.[1];
    const value = () => inline ?? args[++at] ?? "";
    if (name === "workdir") found.handedOn.push("--workdir", value());
    else if (name === "output" || name === "output-format" || word === "-o") found.output = formatOf(value());
    else if (COMMANDS.includes(name) || word === "-v") found.ownOf ??= word;
    else if (!Object.hasOwn(WITHOUT_EFFECT, name)) found.words.push(word);
    else {
      const off = (WITH_VALUE.has(name) ? value() : inline) === "false";
      if (off) continue;
      if (name === "yes") found.yes = true;
      else found.notes.push(noEffect(name, WITHOUT_EFFECT[name] ?? ""));
    }
  }
  return found;
}

/** What is said of --yes where a command has no such option. */
export const yesHasNoEffect = () => noEffect("yes", WITHOUT_EFFECT.yes ?? "");

export function noEffect(name: string, reason: string): string {
  return `--${name} has no effect: ${reason}.`;
}

/** The name of a long option. */
export function optionName(word: string): string | undefined {
  return /^--([^=]+)/.exec(word)?.[1];
}

const formatOf = (format: string) => (PLAIN.includes(format) ? undefined : format);
