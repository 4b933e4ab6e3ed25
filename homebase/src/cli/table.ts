/** Owns printing rows of a database as a table. */
import { writtenOut } from "./terminal.ts";

/**
 * A table of text with a line of names; line breaks within a value become spaces. Other control characters are written
 * out, because a terminal would carry them out.
 */
export function textTable(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = names.map(oneLineOf);
  const oneLine = rows.map((row) => row.map(oneLineOf));
  const widths = columns.map((one, at) =>
    Math.max(one.length, ...oneLine.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(" | ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  return `${[line(columns), rule, ...oneLine.map(line)].join("\n")}\n`;
}

function oneLineOf(value: string): string {
  return value.replace(/\s+/g, " ").replace(/\p{Cc}/gu, writtenOut);
}
