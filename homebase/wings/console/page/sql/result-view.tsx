/** Owns one result: its rows in pages, the cells that can be edited, and the details of a row; or a plan. */
import { useState } from "react";
import { createPortal } from "react-dom";
import type { Change, DataTable, Lens, SqlResult, TableName, Tables } from "../../server/api.ts";
import { useKeys } from "../app/keys.tsx";
import { useEditing } from "../data/editing.tsx";
import { Grid, type Place } from "../data/grid.tsx";
import { RowPane, Value } from "../data/row-pane.tsx";
import { Copy } from "../parts/copy.tsx";
import { DetailsPane, Pages } from "../parts/pane.tsx";
import { shortType } from "../parts/words.ts";
import { costliestLine } from "./plan.ts";

const PAGE = 100;
/** Characters of a cell; the details have all of them. */
const MOST_IN_CELL = 200;

interface ResultViewProps {
  result: SqlResult;
  tables: Tables | undefined;
  lens: Lens;
  singleKeys: boolean;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
  onGo(table: TableName, where: string): void;
  onFind(): void;
  onKeys(): void;
}

export function ResultView(props: ResultViewProps) {
  const { result, tables, lens, singleKeys, changes, onChanges, onGo, onFind, onKeys } = props;
  const [page, setPage] = useState(0);
  const [active, setActive] = useState<Place>();
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState(0);
  const rows = result.rows.slice(page * PAGE, (page + 1) * PAGE);
  const origin = result.table;
  const table = tableOf(tables, origin);
  const columns = result.columns.map((_, at) =>
    table?.columns.find(({ name }) => name === origin?.columns[at]),
  );
  const edits = useEditing({ table, columns, rows, changes, onChanges });
  const key = edits.keyAt(active?.row);
  const row = active && rows[active.row];
  const close = () => setOpened(false);
  useKeys(singleKeys, {
    find: onFind,
    "?": onKeys,
    d: () => edits.remove(active?.row),
    y: () => setAsked(asked + 1),
    Escape: close,
  });
  // Beside the list and what stands above it, as the details of every view.
  const frame = document.querySelector(".frame");
  const pane =
    opened && table && key ? (
      <RowPane
        table={table}
        rowKey={key}
        lens={lens}
        hidden={false}
        asked={asked}
        saved={changes.length}
        change={edits.changeAt(active?.row)}
        editable
        onEdit={(column, was) => edits.edit(active?.row, column, was)}
        onDelete={() => edits.remove(active?.row)}
        onWhy={() => setAsked(asked + 1)}
        onClose={close}
        onGo={onGo}
      />
    ) : (
      opened &&
      row && (
        <DetailsPane
          of="Result"
          title={`Row ${(page * PAGE + active.row + 1).toLocaleString()}`}
          onClose={close}
        >
          <dl className="values-of">
            {result.columns.map(({ name, type }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns of a query may have one name
              <div key={`${at} ${name}`}>
                <dt>
                  {name} <small>{shortType(type)}</small>
                </dt>
                <dd>
                  <Value value={row[at] ?? null} />
                </dd>
              </div>
            ))}
          </dl>
        </DetailsPane>
      )
    );
  return (
    <>
      <div className="listing">
        <Grid
          label="Result"
          columns={result.columns.map(({ name, type }) => ({ name, note: shortType(type), sortable: false }))}
          rows={rows}
          active={active}
          rowClass={edits.rowClass}
          cellClass={edits.cellClass}
          cell={(place) => {
            const staged = edits.stagedAt(place);
            const value = staged === undefined ? rows[place.row]?.[place.column] : staged;
            const long = value && value.length > MOST_IN_CELL;
            return (
              edits.editorAt(place) ?? (long ? `${value.slice(0, MOST_IN_CELL)}…` : (value ?? undefined))
            );
          }}
          onActive={(place, clicked) => {
            setActive(place);
            if (place.row !== active?.row) setAsked(0);
            const again = active?.row === place.row && active.column === place.column;
            if (clicked && (place.column === 0 || again)) setOpened(true);
          }}
          onDetails={() => setOpened(!opened)}
          onOpen={(place) => edits.begin(place) || setOpened(true)}
        />
      </div>
      {result.rows.length > PAGE && (
        <p className="paging">
          <Pages
            page={page}
            more={(page + 1) * PAGE < result.rows.length}
            onPage={(next) => {
              setPage(next);
              setActive(undefined);
              setOpened(false);
            }}
          />
        </p>
      )}
      {frame && createPortal(pane, frame)}
      {edits.dialog}
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard
    <section className="listing plans" aria-label="Plan" tabIndex={0}>
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
    </section>
  );
}
