/** Owns one table: its rows as a lens sees them, the staged changes, and the details of the chosen row. */
import { useEffect, useMemo, useRef, useState } from "react";
import type { Change, DataRows, DataTable, Lens, TableName } from "../../server/api.ts";
import { useKeys } from "../app/keys.tsx";
import { call, messageOf } from "../app/session.ts";
import { shortType } from "../parts/words.ts";
import { changeOf, keyOf, withDeleted, withValue } from "./changes.ts";
import { ChangesBar } from "./changes-bar.tsx";
import { CellEditor, EditDialog, InsertDialog } from "./editor.tsx";
import { Grid, type Place } from "./grid.tsx";
import { LensPicker } from "./lens.tsx";
import { countText, Notes } from "./notes.tsx";
import { RowPane } from "./row-pane.tsx";

const TYPING_MS = 250;
/** Characters. */
const SHORT_KEY = 12;

interface TableViewProps {
  table: DataTable;
  roles: readonly string[];
  lens: Lens;
  where: string;
  singleKeys: boolean;
  onLens(lens: Lens): void;
  onWhere(where: string): void;
  onGo(table: TableName, where: string): void;
  onFind(): void;
  onKeys(): void;
  /** Of all tables: they outlive this view, and are saved together. */
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

interface Loaded {
  rows: DataRows;
  milliseconds: number;
}

/** A value that is edited: in its cell, or in a dialog. */
interface Editing {
  column: string;
  key: string[];
  was: string | null;
  place?: Place;
}

export function TableView(props: TableViewProps) {
  const { table, roles, lens, where, singleKeys, onLens, onWhere, onGo, onFind, onKeys } = props;
  const { changes, onChanges: setChanges } = props;
  const { schema, name, columns } = table;
  const [typed, setTyped] = useState(where);
  const [loaded, setLoaded] = useState<Loaded>();
  const [failure, setFailure] = useState<string>();
  const [order, setOrder] = useState<{ column: string; descending: boolean }>();
  /** The cursors of the pages up to this one; none for the first. */
  const [pages, setPages] = useState<readonly (string | null)[][]>([]);
  const [active, setActive] = useState<Place>();
  const [opened, setOpened] = useState(false);
  const [asked, setAsked] = useState(0);
  const [editing, setEditing] = useState<Editing>();
  const [inserting, setInserting] = useState(false);
  const [version, setVersion] = useState(0);
  const filter = useRef<HTMLInputElement>(null);
  const asText = JSON.stringify(lens);

  useEffect(() => {
    setTyped(where);
    setPages([]);
    setActive(undefined);
    setOpened(false);
  }, [where]);
  useEffect(() => {
    const timer = setTimeout(() => onWhere(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, onWhere]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another read
  useEffect(() => {
    const asking = new AbortController();
    const began = performance.now();
    const after = pages.at(-1);
    call(
      "rows",
      {
        as: JSON.parse(asText) as Lens,
        table: { schema, name },
        where,
        ...(order ? { order } : {}),
        ...(after ? { after } : {}),
      },
      asking.signal,
    ).then(
      (rows) => {
        setFailure(undefined);
        setLoaded({ rows, milliseconds: Math.round(performance.now() - began) });
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setFailure(messageOf(error));
      },
    );
    return () => asking.abort();
  }, [schema, name, where, asText, order, pages, version]);

  const found = loaded?.rows;
  const hidden = useMemo(() => new Set(found?.hidden), [found]);
  const cut = useMemo(() => new Set(found?.cut.map(([row, column]) => `${row} ${column}`)), [found]);
  const keyed = table.key.length > 0;
  const editable = keyed && table.kind === "table";
  const row = active ? found?.rows[active.row] : undefined;
  const rowKey = row && keyed ? keyOf(table, row) : undefined;
  const own = { schema, name };

  const begin = (place: Place) => {
    const column = columns[place.column];
    const cells = found?.rows[place.row];
    if (!editable || !column || column.made || !cells) return setOpened(true);
    const key = keyOf(table, cells);
    if (changeOf(changes, own, key)?.kind === "delete") return;
    // The beginning of a value is not edited: the details have all of it.
    if (cut.has(`${place.row} ${place.column}`)) return setOpened(true);
    setEditing({ column: column.name, key, was: cells[place.column] ?? null, place });
  };
  const stage = (value: string | null) => {
    if (editing) setChanges(withValue(changes, { table: own, ...editing, value }));
    setEditing(undefined);
    grid();
  };
  const remove = () => {
    if (rowKey && editable) setChanges(withDeleted(changes, own, rowKey));
  };
  const turn = (next: readonly (string | null)[][]) => {
    setPages(next);
    setActive(undefined);
    setOpened(false);
  };
  const sort = (column: string) => {
    turn([]);
    setOrder(
      order?.column !== column
        ? { column, descending: false }
        : order.descending
          ? undefined
          : { column, descending: true },
    );
  };
  useKeys(singleKeys, {
    find: onFind,
    "?": onKeys,
    "/": () => filter.current?.focus(),
    n: () => editable && setInserting(true),
    d: remove,
    y: () => setAsked(asked + 1),
    Escape: () => setOpened(false),
  });

  const stagedOf = (place: Place) => {
    const cells = found?.rows[place.row];
    const change = cells && editable ? changeOf(changes, own, keyOf(table, cells)) : undefined;
    const column = columns[place.column]?.name ?? "";
    return change?.kind === "update" ? change.values[column] : undefined;
  };
  const editingColumn = editing && columns.find((column) => column.name === editing.column);
  const editor = editing &&
    editingColumn && {
      column: editingColumn,
      value: changedTo(changes, own, editing),
      onDone: stage,
      onCancel: () => {
        setEditing(undefined);
        grid();
      },
    };
  return (
    <>
      <main className="data">
        <h1 className="unseen">{name}</h1>
        <div className="bar">
          <LensPicker lens={lens} roles={roles} onChoose={onLens} />
          <input
            ref={filter}
            type="search"
            aria-label="Filter"
            placeholder="Filter: a text  status=open  id>4  note=null"
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            onKeyDown={(event) => {
              if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
            }}
          />
          <button type="button" onClick={() => setVersion(version + 1)}>
            Refresh
          </button>
          {editable && (
            <button type="button" onClick={() => setInserting(true)}>
              Insert <kbd>n</kbd>
            </button>
          )}
        </div>
        <Notes table={table} lens={lens} found={found} failure={failure} />
        {found && found.rows.length === 0 ? (
          <div className="empty">
            <p>{where === "" ? "No rows yet." : "No row matches."}</p>
            {where !== "" && (
              <button type="button" onClick={() => setTyped("")}>
                Clear the filter
              </button>
            )}
          </div>
        ) : (
          <div className="listing" aria-busy={!found}>
            {found && (
              <Grid
                label={`Rows of ${name}`}
                columns={columns.map((column) => ({
                  name: column.name,
                  note: shortType(column.type),
                  sortable: column.sortable && keyed,
                  withheld: found.withheld.includes(column.name),
                }))}
                rows={found.rows}
                hidden={hidden}
                active={active}
                order={order}
                onOrder={sort}
                rowClass={(at) => {
                  const cells = found.rows[at];
                  return cells && changeOf(changes, own, keyOf(table, cells))?.kind === "delete"
                    ? "deleted"
                    : "";
                }}
                cellClass={(place) => (stagedOf(place) === undefined ? "" : "changed")}
                cell={(place) => {
                  if (editor && editing.place?.row === place.row && editing.place.column === place.column)
                    return <CellEditor {...editor} />;
                  const value = found.rows[place.row]?.[place.column] ?? null;
                  const staged = stagedOf(place);
                  const shown = staged === undefined ? value : staged;
                  if (shown === null) return <i className="null">null</i>;
                  const named =
                    staged === undefined
                      ? found.names[columns[place.column]?.name ?? ""]?.[shown]
                      : undefined;
                  // Of a long key, such as a uuid, the name is what people read.
                  const [first, second] =
                    named !== undefined && shown.length > SHORT_KEY ? [named, shown] : [shown, named];
                  return (
                    <>
                      {first}
                      {cut.has(`${place.row} ${place.column}`) && "…"}
                      {second !== undefined && <small>{second}</small>}
                    </>
                  );
                }}
                onActive={(place, clicked) => {
                  setActive(place);
                  if (place.row !== active?.row) setAsked(0);
                  // Not any cell: the details would come beneath the second click of a double one.
                  const again = active?.row === place.row && active.column === place.column;
                  if (clicked && (place.column === 0 || hidden.has(place.row) || again)) setOpened(true);
                }}
                onDetails={() => setOpened(!opened)}
                onOpen={begin}
              />
            )}
          </div>
        )}
        <ChangesBar
          changes={changes}
          lens={lens}
          onDiscard={() => setChanges([])}
          onSaved={() => {
            setChanges([]);
            setVersion(version + 1);
          }}
        />
        <footer className="foot">
          {found && <span role="status">{countText(found, lens, keyed)}</span>}
          {loaded && <span>{loaded.milliseconds} ms</span>}
          {keyed && !opened && found && found.rows.length > 0 && (
            <span className="hint">
              Click a key for the row's details{editable && ", double-click a value to edit it"}
            </span>
          )}
          {(pages.length > 0 || found?.next) && (
            <span className="pages">
              <button
                type="button"
                className="plain"
                disabled={pages.length === 0}
                onClick={() => turn(pages.slice(0, -1))}
              >
                ← Previous
              </button>{" "}
              page {pages.length + 1}{" "}
              <button
                type="button"
                className="plain"
                disabled={!found?.next}
                onClick={() => found?.next && turn([...pages, found.next])}
              >
                Next →
              </button>
            </span>
          )}
        </footer>
      </main>
      {opened && rowKey && (
        <RowPane
          table={table}
          rowKey={rowKey}
          lens={lens}
          hidden={active !== undefined && hidden.has(active.row)}
          asked={asked}
          saved={version}
          change={changeOf(changes, own, rowKey)}
          editable={editable}
          onEdit={(column, was) => setEditing({ column, key: rowKey, was })}
          onDelete={remove}
          onWhy={() => setAsked(asked + 1)}
          onClose={() => setOpened(false)}
          onGo={onGo}
        />
      )}
      {editor && !editing.place && <EditDialog {...editor} />}
      {inserting && (
        <InsertDialog
          columns={columns}
          onCancel={() => setInserting(false)}
          onDone={(values) => {
            setChanges([...changes, { kind: "insert", table: own, values }]);
            setInserting(false);
          }}
        />
      )}
    </>
  );
}

/** The staged value, or the one before. */
function changedTo(
  changes: readonly Change[],
  table: TableName,
  { key, column, was }: Editing,
): string | null {
  const change = changeOf(changes, table, key);
  const staged = change?.kind === "update" ? change.values[column] : undefined;
  return staged === undefined ? was : staged;
}

/** The grid takes the keys again when a field of it is gone. */
function grid(): void {
  setTimeout(() => document.querySelector<HTMLElement>(".grid")?.focus());
}
