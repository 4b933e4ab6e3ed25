/** Owns rows as text for other programs. Their values are Postgres's text. */
import type { ExportPart } from "../../server/api.ts";

type Rows = Pick<ExportPart, "columns" | "rows">;
export const FORMATS = ["CSV", "JSON"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * CSV as RFC 4180 has it, with a line of names. Null is an empty field, and an empty text is quoted, as `copy` does it. What a
 * spreadsheet would take for a formula is left as it is: a value that is changed would be another one where it is imported.
 */
export function csvOf({ columns, rows }: Rows): string {
  return linesOf([columns, ...rows]);
}

function linesOf(rows: Rows["rows"]): string {
  return rows.map((row) => row.map((value) => (value === null ? "" : fieldOf(value))).join(",")).join("\r\n");
}

function fieldOf(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** An object a row; of columns of one name the last one. */
export function jsonOf({ columns, rows }: Rows): string {
  const objects = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
  return JSON.stringify(objects, null, 2);
}

/** The text of a stream of parts, in pieces. @param onRows called with the number of rows so far. @throws where the last part does not come */
export async function exported(
  parts: AsyncIterable<ExportPart>,
  format: Format,
  onRows: (rows: number) => void,
): Promise<string[]> {
  const pieces: string[] = [];
  const all: Rows["rows"] = [];
  let count = 0;
  for await (const { columns, rows, last } of parts) {
    if (format === "JSON") for (const row of rows) all.push(row);
    else if (count === 0) pieces.push(csvOf({ columns, rows }));
    else if (rows.length > 0) pieces.push(`\r\n${linesOf(rows)}`);
    count += rows.length;
    onRows(count);
    if (last) return format === "JSON" ? [jsonOf({ columns, rows: all })] : pieces;
  }
  throw new Error(
    "The export was broken off before its last row: it may take 60 s, and ends with the stack.",
  );
}
