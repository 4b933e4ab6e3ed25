/** Owns printing rows of a database as a table. */
import { writtenOut } from "./terminal.ts";

const BETWEEN = " | ";
const CUT = "…";
/** Below this a column's text says nothing. */
const NARROWEST = 8;

/**
 * A table of text with a line of names; line breaks within a value become spaces. Other control characters are written
 * out, because a terminal would carry them out.
 * @param width of the terminal: the widest columns are cut until a line fits. Elsewhere every value is whole.
 */
export function textTable(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined = process.stdout.columns,
): string {
  const lines = [names, ...rows].map((row) => row.map(oneLineOf));
  const widest = names.map((_, at) => Math.max(0, ...lines.map((row) => row[at]?.length ?? 0)));
  const widths = width === undefined ? widest : fitted(widest, width - BETWEEN.length * (names.length - 1));
  const line = (cells: readonly string[]) =>
    cut(
      cells
        .map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0))
        .join(BETWEEN)
        .trimEnd(),
      width,
    );
  const rule = cut(widths.map((one) => "-".repeat(one)).join("-|-"), width);
  const [head = [], ...body] = lines;
  return `${[line(head), rule, ...body.map(line)].join("\n")}\n`;
}

/** The widths with the widest of them reduced to one limit, so that their sum is at most `total`. */
function fitted(widths: readonly number[], total: number): number[] {
  let limit = Math.max(...widths);
  while (limit > NARROWEST && widths.reduce((sum, one) => sum + Math.min(one, limit), 0) > total) limit -= 1;
  return widths.map((one) => Math.min(one, limit));
}

function cut(text: string, width = text.length): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}${CUT}`;
}

function oneLineOf(value: string): string {
  return value.replace(/\s+/g, " ").replace(/\p{Cc}/gu, writtenOut);
}
