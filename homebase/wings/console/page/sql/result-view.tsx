/** Owns one result: its rows in pages, the cells that can be edited, and the details of a row; or a plan. */
import { useState } from "react";
import { createPortal } from "react-dom";
import type { Change, DataTable, Lens, SqlResult, TableName, Tables } from "../../server/api.ts";
import { useRows } from "../data/editing.tsx";
import { Grid } from "../data/grid.tsx";
import { Value } from "../data/row-pane.tsx";
import { Scrolled } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { DetailsPane, Pages } from "../parts/detail-frame.tsx";
import { Facts } from "../parts/facts.tsx";
import { csvOf, jsonOf } from "../parts/rows-as-text.ts";
import { shortType } from "../parts/words.ts";
import { costliestLine } from "./plan.ts";

const PAGE = 100;
/** Characters of a cell; the details have all of them. */
const MOST_IN_CELL = 200;

interface ResultViewProps {
  result: SqlResult;
  tables: Tables | undefined;
  lens: Lens;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

export function ResultView({ result, tables, lens, changes, onChanges }: ResultViewProps) {
  const [pages, setPages] = useState<readonly number[]>([]);
  const page = pages.length;
  const rows = result.rows.slice(page * PAGE, (page + 1) * PAGE);
  const origin = result.table;
  const table = tableOf(tables, origin);
  const columns = result.columns.map((_, at) =>
    table?.columns.find(({ name }) => name === origin?.columns[at]),
  );
  const text = { columns: result.columns.map(({ name }) => name), rows: result.rows };
  const version = changes.length;
  const shown = useRows({ table, columns, rows, lens, version, changes, onChanges });
  const { active, opened, grid, dialog, editorAt, stagedAt, leave, close } = shown;
  const row = active && rows[active.row];
  // Beside the list and what stands above it, as the details of every view.
  const frame = document.querySelector(".frame");
  const pane =
    shown.pane ||
    (opened && row && (
      <DetailsPane
        of="Result"
        title={`Row ${(page * PAGE + active.row + 1).toLocaleString()}`}
        onClose={close}
      >
        <Facts
          facts={result.columns.map(({ name, type }, at) => [
            <>
              {name} <small>{shortType(type)}</small>
            </>,
            <Value key={name} value={row[at] ?? null} />,
          ])}
        />
      </DetailsPane>
    ));
  return (
    <>
      <div className="listing">
        <Grid
          {...grid}
          label="Result"
          columns={result.columns.map(({ name, type }) => ({ name, note: shortType(type) }))}
          cell={(place) => {
            const staged = stagedAt(place);
            const value = staged === undefined ? rows[place.row]?.[place.column] : staged;
            const long = value && value.length > MOST_IN_CELL;
            return editorAt(place) ?? (long ? `${value.slice(0, MOST_IN_CELL)}…` : (value ?? undefined));
          }}
        />
      </div>
      <p className="links paging">
        <Copy text={async () => csvOf(text)} label="Copy as CSV" />
        <Copy text={async () => jsonOf(text)} label="Copy as JSON" />
        <Pages
          pages={pages}
          next={(page + 1) * PAGE < result.rows.length ? page + 1 : undefined}
          onPages={(next) => {
            setPages(next);
            leave();
          }}
        />
      </p>
      {frame && createPortal(pane, frame)}
      {dialog}
    </>
  );
}

/** The table that a result's rows are of. */
export function tableOf(tables: Tables | undefined, origin: TableName | undefined): DataTable | undefined {
  return tables?.tables.find(({ schema, name }) => schema === origin?.schema && name === origin.name);
}

/** A plan as Postgres writes it, with its costliest node marked. */
export function PlanView({ results }: { results: readonly SqlResult[] }) {
  return (
    <Scrolled className="listing plans" label="Plan">
      {results.map(({ rows }, at) => {
        const lines = rows.map(([line]) => line ?? "");
        const costliest = costliestLine(lines);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan is its place in the text
          <div key={at}>
            <p className="links">
              <Copy text={lines.join("\n")} label="Copy plan" />
            </p>
            <pre>
              {lines.map((line, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
                <span key={place} className={place === costliest ? "costliest" : undefined}>
                  {line}
                  {place === costliest && <b> ← costs most by itself</b>}
                  {"\n"}
                </span>
              ))}
            </pre>
          </div>
        );
      })}
    </Scrolled>
  );
}
