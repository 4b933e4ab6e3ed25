/** Owns the grid: rows and columns of text, of which one cell is active. It is one place in the order of tabs. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { Plain } from "../parts/controls.tsx";
import { readable } from "../parts/words.ts";

export interface Place {
  row: number;
  column: number;
}

export interface GridColumn {
  name: string;
  /** Beneath the name, e.g. its type. */
  note?: string;
  sortable?: boolean;
  /** Whether the lens may not select it. */
  withheld?: boolean;
}

export interface GridProps {
  label: string;
  columns: readonly GridColumn[];
  rows: readonly (readonly (string | null)[])[];
  /** Places of rows that the lens does not get. */
  hidden?: ReadonlySet<number>;
  active: Place | undefined;
  /** A class of a row, and of a cell. */
  rowClass?(row: number): string;
  cellClass?(place: Place): string;
  /** The content of a cell, instead of its text. */
  cell?(place: Place): ReactNode;
  order?: { column: string; descending: boolean } | undefined;
  onOrder?(column: string): void;
  onActive(place: Place, clicked: boolean): void;
  /** Enter, F2 or a double click. */
  onOpen?(place: Place, byKey: boolean): void;
  /** Space. */
  onDetails(): void;
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [15, 0],
  PageUp: [-15, 0],
  j: [1, 0],
  k: [-1, 0],
};

export function Grid(props: GridProps) {
  const { label, columns, rows, hidden, active, rowClass, cellClass, cell, order, onOrder } = props;
  const { onActive, onOpen, onDetails } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active)
      document.getElementById(idOf(active))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const press = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = Object.hasOwn(STEPS, event.key) ? STEPS[event.key] : undefined;
    const at = active ?? { row: -1, column: 0 };
    if (step && rows.length > 0)
      onActive(
        {
          row: clamped(at.row + step[0], rows.length),
          column: clamped(at.column + step[1], columns.length),
        },
        false,
      );
    else if (event.key === "Home" && active) onActive({ ...active, column: 0 }, false);
    else if (event.key === "End" && active) onActive({ ...active, column: columns.length - 1 }, false);
    else if (event.key === " " && active) onDetails();
    else if ((event.key === "Enter" || event.key === "F2") && active) onOpen?.(active, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="grid"
      ref={box}
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={active ? idOf(active) : undefined}
      onKeyDown={press}
    >
      <div role="presentation" className="table">
        <div role="rowgroup" className="thead">
          <div role="row" className="tr">
            {columns.map((column, at) => (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: columns of a query may have one name
                key={`${at} ${column.name}`}
                role="columnheader"
                aria-sort={
                  order?.column === column.name ? (order.descending ? "descending" : "ascending") : undefined
                }
                className={`th ${column.withheld ? "withheld" : ""}`}
              >
                <Head column={column} order={order} onOrder={onOrder} />
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="tbody">
          {rows.map((row, at) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the page
              key={at}
              role="row"
              aria-selected={active?.row === at}
              className={`tr ${hidden?.has(at) ? "hidden" : ""} ${active?.row === at ? "selected" : ""} ${rowClass?.(at) ?? ""}`}
            >
              {row.map((value, column) => {
                const place = { row: at, column };
                const is = active?.row === at && active.column === column;
                return (
                  <div
                    key={idOf(place)}
                    id={idOf(place)}
                    role="gridcell"
                    className={`td ${is ? "active" : ""} ${columns[column]?.withheld ? "withheld" : ""} ${cellClass?.(place) ?? ""}`}
                    onMouseDown={(event) => {
                      if ((event.target as Element).closest("button, input, select")) return;
                      // A double click opens the cell, and so selects no word.
                      if (event.detail > 1) event.preventDefault();
                      if (event.button === 0) onActive(place, event.detail === 1);
                    }}
                    onDoubleClick={() => onOpen?.(place, false)}
                  >
                    {column === 0 && hidden?.has(at) && <span className="unseen">hidden, </span>}
                    {contentOf(cell?.(place) ?? value)}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Head({ column, order, onOrder }: { column: GridColumn } & Pick<GridProps, "order" | "onOrder">) {
  const { name, note, sortable, withheld } = column;
  const own = order?.column === name;
  const text = (
    <>
      {name}
      {own && <span aria-hidden="true"> {order.descending ? "↓" : "↑"}</span>}
      {note !== undefined && <small>{note}</small>}
      {withheld && <span className="unseen">, withheld</span>}
    </>
  );
  if (!sortable || !onOrder) return <span>{text}</span>;
  return <Plain label={text} onClick={() => onOrder(name)} />;
}

function contentOf(content: ReactNode): ReactNode {
  if (content === null) return <i className="null">null</i>;
  return typeof content === "string" ? readable(content) : content;
}

function idOf({ row, column }: Place): string {
  return `cell-${row}-${column}`;
}

function clamped(number: number, count: number): number {
  return Math.min(Math.max(number, 0), count - 1);
}
