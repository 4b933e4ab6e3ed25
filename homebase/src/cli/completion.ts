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

/** The script of a shell. Words are commands and options only: nothing in them needs quoting. */
export async function completionScript(
  shell: string,
  commands: Readonly<Record<string, CommandEntry>>,
): Promise<string> {
  const known = await Promise.all(
    Object.entries(commands).map(async ([name, { summary, load }]) => {
      return { name, summary, options: await wordsOf(await load()) };
    }),
  );
  const names = known.map(({ name }) => name).join(" ");
  const cases = known.map(({ name, options }) => `    ${name}) words="${options.join(" ")}" ;;`).join("\n");
  if (shell === "fish") {
    const lines = known.flatMap(({ name, summary, options }) => [
      `complete -c homebase -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ...options.map(
        (option) =>
          `complete -c homebase -n '__fish_seen_subcommand_from ${name}' ${flagOf(option)} ${option.replace(/^-+/, "")}`,
      ),
    ]);
    return `complete -c homebase -f\n${lines.join("\n")}\n`;
  }
  if (shell === "zsh") {
    // `words` is zsh's own name for the command line.
    const own = known
      .map(({ name, options }) => `    ${name}) compadd -- ${options.join(" ")} ;;`)
      .join("\n");
    return `#compdef homebase
_homebase() {
  if (( CURRENT == 2 )); then
    compadd -- ${names}
    return
  fi
  case "$words[2]" in
${own}
  esac
}
compdef _homebase homebase
`;
  }
  return `_homebase() {
  local words="${names}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    words=""
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _homebase homebase
`;
}

/** How fish is told of a word: an option, its short form, or a subcommand. */
function flagOf(word: string): string {
  return word.startsWith("--") ? "-l" : word.startsWith("-") ? "-s" : "-a";
}

/** The words that may follow a command: its subcommands, and the options of both. */
async function wordsOf({ help, subcommands = {} }: Command): Promise<string[]> {
  const below = await Promise.all(Object.values(subcommands).map(async ({ load }) => wordsOf(await load())));
  return [...new Set([...Object.keys(subcommands), ...optionsOf(help), ...below.flat()])];
}

/** The options of a command with their short forms, read from its help. */
export function optionsOf(help: string): string[] {
  const found = help.matchAll(/^ {2,}(?:-(\w), )?(--[a-z][a-z-]*)/gm);
  return [...found].flatMap(([, short, long = ""]) => [long, ...(short ? [`-${short}`] : [])]);
}
