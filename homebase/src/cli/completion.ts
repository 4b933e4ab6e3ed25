/** Owns `homebase completion`: scripts for bash, zsh and fish, made from the commands' own help. */
import type { Command, CommandEntry } from "./options.ts";
import { CommandError } from "./terminal.ts";

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
    run: async ([shell = "", ...more]) => {
      if (!SHELLS.includes(shell) || more.length > 0) {
        throw new CommandError("homebase completion takes one shell: bash, zsh or fish.", 2);
      }
      process.stdout.write(await completionScript(shell, commands));
    },
  };
}

/** What may follow a command, or one below it, as it is typed (`db diff`; empty: nothing yet). */
interface Place {
  path: string;
  names: string[];
  options: string[];
}

/** The script of a shell. Words are commands and options only: nothing in them needs quoting. */
export async function completionScript(
  shell: string,
  commands: Readonly<Record<string, CommandEntry>>,
): Promise<string> {
  const places = [
    { path: "", names: Object.keys(commands), options: [] },
    ...(await placesBelow("", commands)),
  ];
  if (shell === "fish") return fishScript(places);
  // The commands that are typed already, without options and their values.
  const known = places.slice(1).map(({ path }) => `"/${path.replaceAll(" ", "/")}"`);
  const cases = (of: (words: string) => string) =>
    places
      .map(({ path, names, options }) => {
        const typed = path === "" ? "" : `/${path.replaceAll(" ", "/")}`;
        return `    "${typed}") ${of([...names, ...options].join(" "))} ;;`;
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
  case "$at" in
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
  case "$at" in
${cases((words) => `words="${words}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _homebase homebase
`;
}

function fishScript(places: readonly Place[]): string {
  const seen = (names: readonly string[]) => `__fish_seen_subcommand_from ${names.join(" ")}`;
  const lines = places.flatMap(({ path, names, options }) => {
    const typed = path === "" ? [] : path.split(" ").map((name) => seen([name]));
    const none = names.length > 0 ? [`not ${seen(names)}`] : [];
    const where = [...typed, ...none].join("; and ");
    return [
      ...names.map((name) => `complete -c homebase -n '${where}' -a ${name}`),
      ...options.map(
        (option) =>
          `complete -c homebase -n '${where}' ${option.startsWith("--") ? "-l" : "-s"} ${option.replace(/^-+/, "")}`,
      ),
    ];
  });
  return `complete -c homebase -f\n${lines.join("\n")}\n`;
}

async function placesBelow(path: string, commands: Readonly<Record<string, CommandEntry>>): Promise<Place[]> {
  const found = await Promise.all(
    Object.entries(commands).map(async ([name, { load }]) => {
      const { help, subcommands = {} } = await load();
      const own = path === "" ? name : `${path} ${name}`;
      const place = { path: own, names: Object.keys(subcommands), options: optionsOf(help) };
      return [place, ...(await placesBelow(own, subcommands))];
    }),
  );
  return found.flat();
}

/** The options of a command with their short forms, read from its help. */
export function optionsOf(help: string): string[] {
  const found = help.matchAll(/^ {2,}(?:-(\w), )?(--[a-z][a-z-]*)/gm);
  return [...found].flatMap(([, short, long = ""]) => [long, ...(short ? [`-${short}`] : [])]);
}
