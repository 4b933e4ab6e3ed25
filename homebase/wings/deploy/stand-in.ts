/** Owns the target of a rehearsal: `homebase hosted` in a process of its own, because no wing imports another. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CommandError } from "../../src/cli/kit/terminal.ts";

export interface StandIn {
  ref: string;
  url: string;
  managementUrl: string;
  databaseUrl: string;
  accessToken: string;
}

/**
 * Starts a stand-in for a new hosted project, and ends it with all its data after `work`.
 * @param options of `homebase hosted`. @throws CommandError with its reason when it does not start
 */
export async function withStandIn<Result>(
  options: readonly string[],
  work: (standIn: StandIn) => Promise<Result>,
): Promise<Result> {
  const command = [...process.execArgv, process.argv[1] ?? "", "hosted", "--json", ...options];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const end = () => child.kill("SIGTERM");
  process.once("exit", end);
  let reason = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    reason += text;
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value } = (await lines.next()) as { value: string | undefined };
    if (value === undefined) throw new CommandError(messageIn(reason));
    return await work(JSON.parse(value) as StandIn);
  } finally {
    end();
    child.stdout.resume();
    await ended;
    process.off("exit", end);
  }
}

/** The message of a command that failed with --json. */
function messageIn(output: string): string {
  const line = output.trim().split("\n").at(-1) ?? "";
  try {
    const { error } = JSON.parse(line) as { error: { message: string } };
    return error.message.replaceAll("homebase hosted", "homebase deploy --rehearse");
  } catch {
    return `The stand-in did not start.\n${output}`;
  }
}
