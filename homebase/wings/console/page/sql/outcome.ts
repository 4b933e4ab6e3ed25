/** Owns what the SQL view says of an answer, and its rows after staged changes of them were saved. */
import type { Change, Lens, SqlAnswer, SqlResult } from "../../server/api.ts";
import { changeOf } from "../data/changes.ts";
import { nameOfLens } from "../data/lens-choice.tsx";
import { counted } from "../parts/words.ts";

export function emptyText(
  result: SqlResult | undefined,
  { error, results }: Partial<SqlAnswer> = {},
): string {
  if (error) return "No result.";
  if (!results) return "Results appear here.";
  if (result === undefined) return "Done.";
  const { command, columns, count } = result;
  if (columns.length > 0) return "No rows.";
  return `${command.toLowerCase()}: ${count === undefined ? "done" : counted(count, "row")}`;
}

/** Says which statements of a run are committed. */
export function savedText({
  saved,
  error,
  explained,
  lens,
}: SqlAnswer & { explained: boolean; lens: Lens }): string {
  if (explained) return error ? "No plan" : "Nothing is saved of what a plan runs";
  if (saved === "all") return `Committed as ${nameOfLens(lens)}`;
  if (saved === "before") return "Statements before the error are committed";
  return saved === "open" ? "The transaction was not ended: it is undone" : "Nothing was saved";
}

export function rowsText({ count, rows, columns, cut }: SqlResult): string {
  if (columns.length === 0) return count === undefined ? "" : counted(count, "row");
  return cut ? `${counted(rows.length, "row")}, and more` : counted(rows.length, "row");
}

/**
 * Shows saved changes without running the text again, which may do more than read.
 * @param key of the result's table
 */
export function withSaved(result: SqlResult, changes: readonly Change[], key: readonly string[]): SqlResult {
  const { table, rows } = result;
  if (!table || key.length === 0) return result;
  return {
    ...result,
    rows: rows.flatMap((row) => {
      const own = key.map((name) => row[table.columns.indexOf(name)] ?? "");
      const change = changeOf(changes, table, own);
      if (change?.kind === "delete") return [];
      if (change?.kind !== "update") return [row];
      return [
        row.map((value, at) => {
          const staged = change.values[table.columns[at] ?? ""];
          return staged === undefined ? value : staged;
        }),
      ];
    }),
  };
}
