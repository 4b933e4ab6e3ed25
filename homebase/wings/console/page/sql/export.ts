/** Owns a result as text for other programs. Its values are Postgres's text. */
import type { SqlResult } from "../../server/api.ts";

type Rows = Pick<SqlResult, "columns" | "rows">;

/** CSV as RFC 4180 has it, with a line of names. An empty text is quoted, as `copy` does it: nothing stands for null. */
export function csvOf({ columns, rows }: Rows): string {
  return [columns.map(({ name }) => name), ...rows]
    .map((row) => row.map((value) => (value === null ? "" : fieldOf(value))).join(","))
    .join("\r\n");
}

function fieldOf(value: string): string {
  return value === "" || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** An object a row; of columns of one name the last one. */
export function jsonOf({ columns, rows }: Rows): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])),
  );
  return JSON.stringify(objects, null, 2);
}
