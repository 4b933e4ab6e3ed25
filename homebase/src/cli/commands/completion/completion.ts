/** Owns `homebase completion`: scripts for bash, zsh and fish, made from the commands' own help. */
import { type Command, type CommandEntry, parseWords } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";

const SHELLS = ["bash", "zsh", "fish"];

const HELP = `Usage: homebase completion <bash|zsh|fish>

Prints a script that completes commands and options.

Options:
  -h, --help         this text

Examples:
  homebase completion bash >> ~/.bashrc
  homebase completion zsh > "\${fpath[1]}/_homebase"
  homebase completion fish > ~/.config/fish/completions/homebase.fish`;

/** The command, for a list of commands that it is itself part of. */
export function completionOf(commands: Readonly<Record<string, CommandEntry>>): Command {
  return {
    help: HELP,
    arguments: SHELLS,
    run: async (args) => {
      const { positionals } = parseWords(args, { help: { type: "boolean", short: "h" } } as const, true);
      const [shell = "", ...more] = positionals;
      if (!SHELLS.includes(shell) || more.length > 0) {
        throw new CommandError("homebase completion takes one shell: bash, zsh or fish.", 2);
      }
      process.stdout.write(await completionScript(shell, commands));
    },
  };
}

/** Words that may follow a command, or one below it, as it is typed (`db diff`; empty: nothing yet). */
interface Place {
  path: string;
  names: string[];
  options: string[];
  /** The values of an option, by each of its forms. */
  values: Record<string, readonly string[]>;
}

/** The script of a shell. Words are commands and options only: nothing in them needs quoting. */
export async function completionScript(
  shell: string,
  commands: Readonly<Record<string, CommandEntry>>,
): Promise<string> {
  const places = [
    { path: "", names: Object.keys(commands), options: [], values: {} },
    ...(await placesBelow("", commands)),
  ];
  if (shell === "fish") return fishScript(places);
  // The commands that are typed already, without options and their values.
  const known = places.slice(1).map(({ path }) => `"/${path.replaceAll(" ", "/")}"`);
  // The word before counts where it is an option that takes one of some values.
  const cases = (of: (words: string) => string) =>
    places
      .flatMap(({ path, names, options, values }) => {
        const typed = path === "" ? "" : `/${path.replaceAll(" ", "/")}`;
        return [
          ...Object.entries(values).map(
            ([option, words]) => `    "${typed} ${option}") ${of(words.join(" "))} ;;`,
          ),
          `    "${typed} "*) ${of([...names, ...options].join(" "))} ;;`,
        ];
      })
      .join("\n");
  if (shell === "zsh") {
    // `words` is zsh's own name for the command line.
    return `#compdef homebase
_homebase() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${known.join("|")}) at="$at/$word" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${cases((words) => `compadd -- ${words}`)}
  esac
}
compdef _homebase homebase
`;
  }
  return `_homebase() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at/$word" in
      ${known.join("|")}) at="$at/$word" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${cases((words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _homebase homebase
`;
}

function fishScript(places: readonly Place[]): string {
  const seen = (names: readonly string[]) => `__fish_seen_subcommand_from ${names.join(" ")}`;
  const lines = places.flatMap(({ path, names, options, values }) => {
    const typed = path === "" ? [] : path.split(" ").map((name) => seen([name]));
    const none = names.length > 0 ? [`not ${seen(names)}`] : [];
    const where = [...typed, ...none].join("; and ");
    return [
      ...names.map((name) => `complete -c homebase -n '${where}' -a ${name}`),
      ...options.map((option) => {
        const form = `${option.startsWith("--") ? "-l" : "-s"} ${option.replace(/^-+/, "")}`;
        const taken = values[option] ? ` -xa '${values[option].join(" ")}'` : "";
        return `complete -c homebase -n '${where}' ${form}${taken}`;
      }),
    ];
  });
  return `complete -c homebase -f\n${lines.join("\n")}\n`;
}

async function placesBelow(path: string, commands: Readonly<Record<string, CommandEntry>>): Promise<Place[]> {
  const found = await Promise.all(
    Object.entries(commands).map(async ([name, { load }]) => {
      const { help, subcommands = {}, values = {}, arguments: taken = [] } = await load();
      const own = path === "" ? name : `${path} ${name}`;
      const place = {
        path: own,
        names: [...Object.keys(subcommands), ...taken],
        options: optionsOf(help),
        values: withShortForms(values, help),
      };
      return [place, ...(await placesBelow(own, subcommands))];
    }),
  );
  return found.flat();
}

/** Values by both forms of an option. */
function withShortForms(values: NonNullable<Command["values"]>, help: string): Place["values"] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, words]) => {
      const [, short] = new RegExp(`^ {2,}-(\\w), --${name}\\b`, "m").exec(help) ?? [];
      return [`--${name}`, ...(short ? [`-${short}`] : [])].map((form) => [form, words]);
    }),
  );
}

/** The options of a command with their short forms, read from its help. */
export function optionsOf(help: string): string[] {
  const found = help.matchAll(/^ {2,}(?:-(\w), )?(--[a-z][a-z-]*)/gm);
  return [...found].flatMap(([, short, long = ""]) => [long, ...(short ? [`-${short}`] : [])]);
}
