/** Owns commands that have subcommands: their help, how one is chosen, and what those that are not built answer. */
import { type Command, type CommandEntry, similar } from "./options.ts";
import { CommandError, table } from "./terminal.ts";

export interface Group {
  /** E.g. `db`, or `inspect db`. */
  name: string;
  /** What the group is for, in a sentence or two. */
  about: string;
  subcommands: Record<string, CommandEntry>;
  /** Subcommands of the Supabase CLI that are not built here, by name; what to say besides, or nothing. */
  elsewhere?: Record<string, string>;
  examples: string[];
}

/** A command that hands over to one of its subcommands. */
export function group({ name, about, subcommands, elsewhere = {}, examples }: Group): Command {
  const names = Object.keys(subcommands);
  const lines = table(Object.entries(subcommands).map(([each, { summary }]) => [each, summary] as const));
  const others = Object.keys(elsewhere);
  return {
    subcommands,
    help: `Usage: homebase ${name} <${names.length > 6 ? "subcommand" : names.join("|")}> [options]

${about}

Subcommands (see homebase ${name} <subcommand> --help):
${lines}
${others.length > 0 ? `\nNot here, but in the Supabase CLI (npx supabase ${name} ...): ${others.join(", ")}.\n` : ""}
Options:
  -h, --help         this text

Examples:
${examples.map((example) => `  ${example}`).join("\n")}`,
    // Called only for a subcommand that does not exist: main.ts runs the others.
    run: async ([subcommand]) => {
      if (subcommand !== undefined && Object.hasOwn(elsewhere, subcommand)) {
        const more = elsewhere[subcommand];
        throw new CommandError(
          `homebase ${name} ${subcommand} is not built. Use the Supabase CLI: npx supabase ${name} ${subcommand}${more ? `\n${more}` : ""}`,
        );
      }
      const meant = subcommand === undefined ? undefined : similar(subcommand, names);
      throw new CommandError(
        `${meant === undefined ? "" : `Did you mean homebase ${name} ${meant}? `}homebase ${name} takes: ${names.join(", ")}. See homebase ${name} --help.`,
        2,
      );
    },
  };
}

/** The command that words name, below an entry of the list, and its arguments. */
export async function chosenCommand(
  entry: CommandEntry,
  args: readonly string[],
): Promise<{ command: Command; words: string[] }> {
  let command = await entry.load();
  let words = [...args];
  for (;;) {
    const [first] = words;
    const { subcommands = {} } = command;
    const next = first !== undefined && Object.hasOwn(subcommands, first) ? subcommands[first] : undefined;
    if (!next) return { command, words };
    command = await next.load();
    words = words.slice(1);
  }
}
