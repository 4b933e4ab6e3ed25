/** Owns editing the cells of a grid: which one is open, and what is staged of each row. */
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Change, DataColumn, DataTable } from "../../server/api.ts";
import { changeOf, withDeleted, withValue } from "./changes.ts";
import { CellEditor, EditDialog } from "./editor.tsx";
import type { Place } from "./grid.tsx";

/** A value that is edited: in its cell, or in a dialog. */
interface Editing {
  column: string;
  key: string[];
  was: string | null;
  place?: Place;
}

interface EditingOptions {
  /** The table of the rows; undefined where none can be edited. */
  table: DataTable | undefined;
  /** The table's column of each of the grid's. */
  columns: readonly (DataColumn | undefined)[];
  rows: readonly (readonly (string | null)[])[];
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

export function useEditing({ table, columns, rows, changes, onChanges }: EditingOptions) {
  const [editing, setEditing] = useState<Editing>();
  const own = table && { schema: table.schema, name: table.name };
  const keyAt = (row: number | undefined) => {
    const cells = row === undefined ? undefined : rows[row];
    return (
      cells && table?.key.map((name) => cells[columns.findIndex((column) => column?.name === name)] ?? "")
    );
  };
  const changeAt = (row: number | undefined) => {
    const key = keyAt(row);
    return key && own ? changeOf(changes, own, key) : undefined;
  };
  const stagedAt = ({ row, column }: Place) => {
    const [change, name] = [changeAt(row), columns[column]?.name];
    return change?.kind === "update" && name !== undefined ? change.values[name] : undefined;
  };
  const close = () => setEditing(undefined);
  const open = useRef(false);
  // The grid takes the keys again before the next one is pressed.
  useLayoutEffect(() => {
    if (open.current && !editing) document.querySelector<HTMLElement>(".grid")?.focus();
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
  return {
    keyAt,
    changeAt,
    stagedAt,
    /** @returns whether the value of this place can be edited */
    begin: (place: Place): boolean => {
      const [key, at] = [keyAt(place.row), columns[place.column]];
      if (!key || !at || at.made) return false;
      if (changeAt(place.row)?.kind !== "delete")
        setEditing({ column: at.name, key, was: rows[place.row]?.[place.column] ?? null, place });
      return true;
    },
    /** In a dialog, as the details ask for it. */
    edit: (row: number | undefined, name: string, was: string | null) => {
      const key = keyAt(row);
      if (key) setEditing({ column: name, key, was });
    },
    remove: (row: number | undefined) => {
      const key = keyAt(row);
      if (key && own) onChanges(withDeleted(changes, own, key));
    },
    rowClass: (row: number) => (changeAt(row)?.kind === "delete" ? "deleted" : ""),
    cellClass: (place: Place) => (stagedAt(place) === undefined ? "" : "changed"),
    editorAt: ({ row, column: at }: Place): ReactNode =>
      editor && editing.place?.row === row && editing.place.column === at ? (
        <CellEditor {...editor} />
      ) : undefined,
    dialog: editor && !editing.place && <EditDialog {...editor} />,
  };
}
