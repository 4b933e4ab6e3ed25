/** Owns `homebase console`: a link to the page of the running stack. */
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { running } from "../../src/cli/kit/running.ts";
import { CommandError } from "../../src/cli/kit/terminal.ts";

export const consoleCommand: Command = {
  help: `Usage: homebase console [options]

Prints a link to the console: a page that shows what happens in the running stack, where it stopped, and why. The link
lets in one browser within a minute; the page stays open until the stack ends. The port is [studio] port in
supabase/config.toml (54323), and only this machine reaches it.

Options:
${sharedHelp}

Examples:
  homebase console
  xdg-open "$(homebase console)"     # on macOS: open`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const config = configFor(values);
    const { link } = await running<{ link: string }>(config, "console").catch((error: unknown) => {
      throw error instanceof CommandError && error.message === "no such command"
        ? new CommandError(
            `The running stack has no console: [studio] enabled = false in supabase/${config.file}, or homebase start -x studio, leaves it out.`,
          )
        : error;
    });
    process.stdout.write(values.json ? `${JSON.stringify({ link })}\n` : `${link}\n`);
  },
};
