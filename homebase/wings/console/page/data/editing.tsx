/** Owns the rows of a grid: which one is chosen, its details, which cell is edited, and what is staged of each row. */
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Change, DataColumn, DataTable, Lens } from "../../server/api.ts";
import { useKeys } from "../app/keys.tsx";
import { focusView } from "../parts/focus.ts";
import { changeOf, withDeleted, withValue } from "./changes.ts";
import type { Place } from "./grid.tsx";
import { RowPane } from "./row-pane.tsx";
import { CellEditor, EditDialog } from "./value-editor.tsx";

/** A value that is edited: in its cell, or in a dialog. */
interface Editing {
  column: string;
  key: string[];
  was: string | null;
  place?: Place;
}

interface RowsOptions {
  /** The table of the rows; undefined where they are of none. */
  table: DataTable | undefined;
  /** The table's column of each of the grid's. */
  columns: readonly (DataColumn | undefined)[];
  rows: readonly (readonly (string | null)[])[];
  /** The key of each row, where its cells may not have all of it. */
  keys?: readonly string[][] | undefined;
  /** Places of rows that the lens does not get, and of cells that have more text. */
  hidden?: ReadonlySet<number>;
  isCut?(place: Place): boolean;
  lens: Lens;
  /** Another one has other rows. */
  version: number;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

const NONE: ReadonlySet<number> = new Set();

function isSame(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return one?.length === other?.length && (one ?? []).every((value, at) => value === other?.[at]);
}

export function useRows(options: RowsOptions) {
  const {
    table: shown,
    columns,
    rows,
    keys,
    hidden = NONE,
    isCut,
    lens,
    version,
    changes,
    onChanges,
  } = options;
  const table = shown && shown.key.length > 0 ? shown : undefined;
  const editable = table?.kind === "table";
  const [chosen, setChosen] = useState<{ place: Place; key: readonly string[] | undefined }>();
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState(0);
  const [editing, setEditing] = useState<Editing>();
  const own = table && { schema: table.schema, name: table.name };
  const keyAt = (row: number | undefined) => {
    const cells = row === undefined ? undefined : rows[row];
    if (keys && row !== undefined) return table && keys[row];
    return (
      cells && table?.key.map((name) => cells[columns.findIndex((column) => column?.name === name)] ?? "")
    );
  };
  // A row stays chosen where other rows came before it, or it moved.
  const rowKey = chosen?.key ?? keyAt(chosen?.place.row);
  const row = chosen?.key ? rows.findIndex((_, at) => isSame(keyAt(at), chosen.key)) : chosen?.place.row;
  const active = chosen && row !== undefined && row >= 0 ? { ...chosen.place, row } : undefined;
  const changeOfKey = (key: readonly string[] | undefined) =>
    key && own ? changeOf(changes, own, key) : undefined;
  const changeAt = (row: number) => changeOfKey(keyAt(row));
  const stagedAt = ({ row, column }: Place) => {
    const [change, name] = [changeAt(row), columns[column]?.name];
    return change?.kind === "update" && name !== undefined ? change.values[name] : undefined;
  };
  const close = () => setEditing(undefined);
  const open = useRef(false);
  // The grid takes the keys again before the next one is pressed.
  useLayoutEffect(() => {
    if (open.current && !editing) focusView();
    open.current = editing !== undefined;
  }, [editing]);
  const column = editing && table?.columns.find(({ name }) => name === editing.column);
  const change = editing && own && changeOf(changes, own, editing.key);
  const staged = change?.kind === "update" && editing ? change.values[editing.column] : undefined;
  const editor = editing &&
    own &&
    column && {
      column,
      value: staged === undefined ? editing.was : staged,
      onDone: (value: string | null) => {
        onChanges(withValue(changes, { table: own, ...editing, value }));
        close();
      },
      onCancel: close,
    };
  const remove = () => {
    if (editable && rowKey && own) onChanges(withDeleted(changes, own, [...rowKey]));
  };
  useKeys({ d: remove });
  const closeDetails = () => setOpened(false);
  return {
    active,
    opened,
    editable,
    stagedAt,
    close: closeDetails,
    /** Other rows: none is chosen. */
    leave: () => {
      setChosen(undefined);
      setOpened(false);
    },
    grid: {
      rows,
      active,
      rowClass: (row: number) => (changeAt(row)?.kind === "delete" ? "deleted" : ""),
      cellClass: (place: Place) => (stagedAt(place) === undefined ? "" : "changed"),
      onActive: (place: Place, clicked: boolean) => {
        setChosen({ place, key: keyAt(place.row) });
        if (place.row !== active?.row) setAsked(0);
        // Not any cell: the details would come beneath the second click of a double one.
        const again = active?.row === place.row && active.column === place.column;
        if (clicked && (place.column === 0 || hidden.has(place.row) || again)) setOpened(true);
      },
      onDetails: () => setOpened(!opened),
      onOpen: (place: Place) => {
        const [key, at] = [keyAt(place.row), columns[place.column]];
        // The beginning of a value is not edited: the details have all of it.
        if (!editable || !key || !at || at.made || isCut?.(place)) setOpened(true);
        else if (changeAt(place.row)?.kind !== "delete") {
          const was = rows[place.row]?.[place.column] ?? null;
          // A field of one line would drop the breaks.
          const lines = /[\r\n]/.test(stagedAt(place) ?? was ?? "");
          setEditing({ column: at.name, key, was, ...(lines ? {} : { place }) });
        }
      },
    },
    editorAt: ({ row, column: at }: Place): ReactNode =>
      editor && editing.place?.row === row && editing.place.column === at ? (
        <CellEditor {...editor} />
      ) : undefined,
    dialog: editor && !editing.place && <EditDialog {...editor} />,
    pane: opened && table && rowKey && (
      <RowPane
        table={table}
        rowKey={rowKey}
        lens={lens}
        hidden={active !== undefined && hidden.has(active.row)}
        asked={asked}
        saved={version}
        change={changeOfKey(rowKey)}
        editable={editable}
        onEdit={(name, was) => setEditing({ column: name, key: [...rowKey], was })}
        onDelete={remove}
        onWhy={() => setAsked(asked + 1)}
        onClose={closeDetails}
      />
    ),
  };
}
