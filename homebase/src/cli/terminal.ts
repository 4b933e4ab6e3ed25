/** Owns the output of commands: colours only on a terminal, progress on one line, JSON on request. */
import { stderr, stdout } from "node:process";
import { styleText } from "node:util";

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

/** Label and value in two columns. */
export function table(rows: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${paint("dim", label.padEnd(width))}  ${value}`).join("\n");
}

/** An error whose message is all that the user needs. */
export class CommandError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
