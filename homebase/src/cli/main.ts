/** Owns the `homebase` command: finding the subcommand, `--help`, `--version`, and how errors end it. */
import { UserError } from "../core/user-error.ts";
import { commandsOf, elsewhere, overview } from "./command-list.ts";
import { chosenCommand } from "./kit/group.ts";
import { similar } from "./kit/options.ts";
import { ownVersion } from "./kit/own-version.ts";
import { CommandError, endWithReader, guardTerminal, paint, readerHasEnded } from "./kit/terminal.ts";
import type { Wing } from "./wing.ts";

/** Runs the command line `args` (without node and script). Resolves to the exit code. */
export async function main(args: readonly string[], wings: readonly Wing[]): Promise<number> {
  const [name, ...rest] = args;
  const commands = commandsOf(wings);
  guardTerminal(process.stdout);
  guardTerminal(process.stderr);
  endWithReader(process.stdout, process.stderr);
  try {
    if (name === "--version" || name === "-v") {
      process.stdout.write(`${ownVersion()}
`);
      return 0;
    }
    if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      process.stdout.write(overview(commands));
      return 0;
    }
    const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!entry && elsewhere.includes(name)) {
      throw new CommandError(
        `Homebase has no command ${name}. The Supabase CLI has it: npx supabase ${[name, ...rest].join(" ")}`,
        2,
      );
    }
    if (!entry) {
      const meant = similar(name, Object.keys(commands));
      throw new CommandError(
        `There is no command ${name}.${meant === undefined ? "" : ` Did you mean homebase ${meant}?`} Try homebase --help.`,
        2,
      );
    }
    const { command, words } = await chosenCommand(entry, rest);
    if (!command.ownHelp && (words.includes("--help") || words.includes("-h"))) {
      process.stdout.write(`${command.help}\n`);
      return 0;
    }
    await command.run(words, wings);
    return 0;
  } catch (thrown) {
    if (readerHasEnded()) return 130;
    // Loaded only here: it knows the errors of the whole stack.
    const { commandError } = await import("./kit/errors.ts");
    const error = commandError(thrown);
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(
      wantsJson(args)
        ? `${JSON.stringify({ error: { message: error.message, exitCode: error.exitCode } })}\n`
        : `${paint("red", "Error:")} ${error.message}\n`,
    );
    return error.exitCode;
  }
}

/** Whether the output is for a program. Read from the words: the error may be about one of them. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const words = end < 0 ? args : args.slice(0, end);
  return words.some(
    (word, at) =>
      word === "--json" ||
      word === "--output=json" ||
      (word === "json" && ["-o", "--output"].includes(words[at - 1] ?? "")),
  );
}
