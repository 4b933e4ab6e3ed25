/** Owns printing rows of a database as a table. */

/** A table of text with a line of names; line breaks within a value become spaces. */
export function textTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const oneLine = rows.map((row) => row.map((value) => value.replace(/\s+/g, " ")));
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
