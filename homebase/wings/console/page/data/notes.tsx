/** Owns what the Data view says of a table in sentences. */
import type { DataRows, DataTable, Lens } from "../../server/api.ts";
import { Alert } from "../parts/detail-frame.tsx";
import { counted } from "../parts/words.ts";
import { nameOfLens } from "./lens-choice.tsx";

interface NotesProps {
  table: DataTable;
  lens: Lens;
  found: DataRows | undefined;
  failure: string | undefined;
}

/** Sentences above the grid, where the table has something to say. */
export function Notes({ table, lens, found, failure }: NotesProps) {
  const notes = [
    ...(found?.refused === undefined ? [] : [`${nameOfLens(lens)} gets no row: ${found.refused}.`]),
    ...(table.exposed
      ? []
      : [`REST does not serve the schema ${table.schema}: nobody gets these rows by it.`]),
    ...(table.kind === "table" && table.key.length === 0
      ? ["Without a primary key single rows cannot be told apart, so none can be changed."]
      : []),
    ...(table.kind === "materialized view"
      ? [
          "A materialized view has the rows of its last refresh: run refresh materialized view for newer ones.",
        ]
      : []),
    ...(table.kind === "view" && table.key.length === 0
      ? [
          `A view's rows are changed in the tables that it reads${lens.kind === "postgres" ? "." : `: how many of them ${nameOfLens(lens)} gets is counted, and none is marked.`}`,
        ]
      : []),
  ];
  if (failure === undefined && notes.length === 0) return null;
  return (
    <div className="cleared">
      <Alert text={failure} />
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

/** How many rows there are, and how many of them the lens gets. */
export function countText({ total, rows, hidden, seen }: DataRows, lens: Lens, keyed: boolean): string {
  const all = { exact: "", estimate: "about ", least: "more than " }[total.as] + counted(total.count, "row");
  if (lens.kind === "postgres") return all;
  const here = keyed ? rows.length - hidden.length : (seen ?? 0);
  return `${all}; ${nameOfLens(lens)} gets ${here.toLocaleString()}${keyed ? ` of these ${rows.length}` : ""}`;
}
