/** Owns the output of commands: colours only on a terminal, progress on one line, JSON on request. */
import { stderr, stdout } from "node:process";
import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { UserError } from "../../core/user-error.ts";

type Style = Parameters<typeof styleText>[0];

/** Text in a colour if standard output is a terminal that supports colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: stdout });
}

/** Prints a progress line on standard error that the next one replaces; does nothing without a terminal. */
export function progress(step: string): void {
  if (stderr.isTTY) stderr.write(`\r\u001b[2K${styleText("dim", `${step} ...`, { stream: stderr })}`);
}

/** Clears the progress line. */
export function endProgress(): void {
  if (stderr.isTTY) stderr.write("\r\u001b[2K");
}

/** The sequences that commands send to a terminal besides text: colours, and clearing a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's sequence begins with a control character
const OWN_SEQUENCE = /(\u001b\[[\d;]*m|\r?\u001b\[2K|\r?\n|\t)/;
/** Characters that a terminal carries out, or that change the order of what is shown. */
const CARRIED_OUT = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text with other control characters written out, as `\u001b`: they come from files, names, rows and messages. */
export function forTerminal(text: string): string {
  return text
    .split(OWN_SEQUENCE)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(CARRIED_OUT, writtenOut)))
    .join("");
}

/** A control character as its escape. */
export function writtenOut(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Lets a terminal carry out nothing but the commands' own sequences; files and pipes get every byte. */
export function guardTerminal(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  const write = stream.write.bind(stream) as (chunk: string, ...rest: unknown[]) => boolean;
  const guarded = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(forTerminal(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8")), ...rest);
  stream.write = guarded as typeof stream.write;
}

/**
 * Ends the command when the reader of its output has ended, as in `homebase logs --follow | head`: as Ctrl+C does, so
 * that a stack is stopped in order. Messages to a closed standard error are lost, which is no reason to fail.
 */
export function endWithReader(output: NodeJS.WriteStream, errors: NodeJS.WriteStream): void {
  const brokenPipe = (then: () => void) => (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    then();
  };
  output.once(
    "error",
    brokenPipe(() => process.kill(process.pid, "SIGINT")),
  );
  for (const stream of [output, errors])
    stream.on(
      "error",
      brokenPipe(() => {}),
    );
}

/** Whether the reader of standard output has ended. */
export function readerHasEnded(): boolean {
  return (stdout.errored as NodeJS.ErrnoException | null)?.code === "EPIPE";
}

/** Label and value in two columns. */
export function table(rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${paint("dim", label.padEnd(width))}  ${value}`).join("\n");
}

/** An error of a command itself. */
/** Asks questions that are answered by y or n, on standard error. Ctrl+D, which ends the input, is no. */
export async function asking<T>(
  work: (ask: (question: string) => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  try {
    return await work(async (question) => {
      process.stderr.write(`${question} [y/N] `);
      const { value = "" } = await lines.next();
      return /^y(es)?$/i.test(value.trim());
    });
  } finally {
    input.close();
  }
}

export class CommandError extends UserError {
  override readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
