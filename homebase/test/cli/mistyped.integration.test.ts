/** What every command answers to an option that it does not have, under --json and beside a similar one. */
import { afterEach, expect, test, vi } from "vitest";
import { commandsOf } from "../../src/cli/command-list.ts";
import { optionsOf } from "../../src/cli/commands/completion/completion.ts";
import type { Command, CommandEntry } from "../../src/cli/kit/options.ts";
import { main } from "../../src/cli/main.ts";
import { wings } from "../../wings/index.ts";

const commands = commandsOf(wings);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every command and subcommand, by the words that call it. */
async function all(
  entries: Readonly<Record<string, CommandEntry>>,
  above: readonly string[] = [],
): Promise<{ words: string[]; command: Command }[]> {
  const found = await Promise.all(
    Object.entries(entries).map(async ([name, { load }]) => {
      const command = await load();
      const words = [...above, name];
      return [{ words, command }, ...(await all(command.subcommands ?? {}, words))];
    }),
  );
  return found.flat();
}

/** The exit code, and what the command line writes to both outputs. */
async function outputOf(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    });
  }
  const code = await main(args, wings);
  vi.restoreAllMocks();
  return { code, ...texts };
}

// Its words are the Supabase CLI's, and it hands on what it does not know.
const { supabase: _, ...own } = commands;

test("under --json every command's error about an option is one object of JSON on standard error", async () => {
  const known = await all(own);
  expect(known.length).toBeGreaterThan(70);
  for (const { words } of known) {
    const { code, stdout, stderr } = await outputOf(...words, "--nonsense-of-nobody", "--json");
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: "" });
    expect(JSON.parse(stderr), words.join(" ")).toEqual({
      error: { message: expect.any(String), exitCode: 2 },
    });
  }
});

test("every option of every command is suggested when two of its letters are swapped", async () => {
  for (const { words, command } of await all(own)) {
    if (command.subcommands) continue;
    for (const option of optionsOf(command.help).filter((one) => one.startsWith("--"))) {
      const swapped = option.replace(/(.)(.)$/, "$2$1");
      if (swapped === option) continue;
      const { code, stderr } = await outputOf(...words, swapped);
      expect({ words, code, stderr }).toEqual({
        words,
        code: 2,
        stderr: expect.stringContaining(`There is no option ${swapped} here. Did you mean ${option}?`),
      });
    }
  }
});
