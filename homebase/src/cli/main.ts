/** Owns the `homebase` command: finding the subcommand, `--help`, `--version`, and how errors end it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "./options.ts";
import { CommandError, paint } from "./terminal.ts";

/** Commands by name; a module is loaded when its command is called. */
const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import("./start.ts")).start,
  stop: async () => (await import("./stop.ts")).stop,
  status: async () => (await import("./status.ts")).status,
  reset: async () => (await import("./reset.ts")).reset,
  migrate: async () => (await import("./migrate.ts")).migrate,
  logs: async () => (await import("./logs.ts")).logs,
  storage: async () => (await import("./storage.ts")).storage,
  rest: async () => (await import("./rest.ts")).rest,
};

/** Runs the command line `args` (without node and script). Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === "--version" || name === "-v") {
      const manifest = readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8");
      process.stdout.write(`${(JSON.parse(manifest) as { version: string }).version}\n`);
      return 0;
    }
    if (name === undefined || name === "--help" || name === "-h" || name === "help") {
      process.stdout.write(await overview());
      return 0;
    }
    const load = commands[name];
    if (!load) throw new CommandError(`There is no command ${name}. Try homebase --help.`, 2);
    const command = await load();
    if (rest.includes("--help") || rest.includes("-h")) {
      process.stdout.write(`${command.help}\n`);
      return 0;
    }
    await command.run(rest);
    return 0;
  } catch (thrown) {
    // Loaded only here: it knows the errors of the whole stack.
    const { commandError } = await import("./errors.ts");
    const error = commandError(thrown);
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${paint("red", "Error:")} ${error.message}\n`);
    return error.exitCode;
  }
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => `  ${name.padEnd(9)} ${(await load()).summary}`),
  );
  return `Homebase: the whole Supabase stack on this machine, out of npm alone.

Usage: homebase <command> [options]

Commands:
${lines.join("\n")}

homebase <command> --help says more.
`;
}
