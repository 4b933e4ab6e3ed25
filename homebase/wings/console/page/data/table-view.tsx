/** Owns one table: its rows as a lens sees them, the staged changes, and the details of the chosen row. */
import { useEffect, useMemo, useState } from "react";
import type { Change, DataTable } from "../../server/api.ts";
import { filterBy } from "../app/address.ts";
import { Button, Empty, Heading, Search } from "../parts/controls.tsx";
import { Pages } from "../parts/detail-frame.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { readable, shortType } from "../parts/words.ts";
import { ChangesBar } from "./changes-bar.tsx";
import { useRows } from "./editing.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { Grid, type Place } from "./grid.tsx";
import { LensPicker, lensOf } from "./lens-choice.tsx";
import { countText, Notes } from "./notes.tsx";
import { InsertDialog } from "./value-editor.tsx";

const TYPING_MS = 250;
/** Characters. */
const SHORT_KEY = 12;

interface TableViewProps {
  table: DataTable;
  roles: readonly string[];
  /** Its filter and lens are in the address. */
  url: URL;
  /** Of all tables: they outlive this view, and are saved together. */
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

export function TableView(props: TableViewProps) {
  const { table, roles, url, changes, onChanges } = props;
  const lens = lensOf(url.searchParams.get("as"));
  const where = url.searchParams.get("q") ?? "";
  const { schema, name, columns } = table;
  const own = { schema, name };
  const [order, setOrder] = useState<{ column: string; descending: boolean }>();
  /** The cursors of the pages up to this one; none for the first. */
  const [pages, setPages] = useState<readonly (string | null)[][]>([]);
  const [inserting, setInserting] = useState(false);
  const [exporting, setExporting] = useState(false);
  const after = pages.at(-1);
  const ask = { as: lens, table: own, where, ...(order ? { order } : {}) };
  const {
    answer: found,
    failure,
    milliseconds,
    asking,
    again,
    times,
  } = useAnswer("rows", { ...ask, ...(after ? { after } : {}) }, { delay: where === "" ? 0 : TYPING_MS });
  const hidden = useMemo(() => new Set(found?.hidden), [found]);
  const cut = useMemo(() => new Set(found?.cut.map(([row, column]) => `${row} ${column}`)), [found]);
  const keyed = table.key.length > 0;
  const isCut = ({ row, column }: Place) => cut.has(`${row} ${column}`);
  const shown = {
    table,
    columns,
    rows: found?.rows ?? [],
    keys: found?.keys,
    hidden,
    isCut,
    lens,
    version: times,
    changes,
    onChanges,
  };
  const { grid, pane, dialog, editable, opened, leave, editorAt, stagedAt } = useRows(shown);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter has other rows
  useEffect(() => turn([]), [where]);
  const turn = (next: readonly (string | null)[][]) => {
    setPages(next);
    leave();
  };
  const sort = (column: string) => {
    turn([]);
    if (order?.column === column && order.descending) setOrder(undefined);
    else setOrder({ column, descending: order?.column === column });
  };
  const stage = (next: readonly Change[]) => {
    onChanges(next);
    setInserting(false);
  };
  const cell = (place: Place) => {
    const value = found?.rows[place.row]?.[place.column] ?? null;
    const staged = stagedAt(place);
    const text = staged === undefined ? value : staged;
    if (text === null) return <i className="null">null</i>;
    const names = found?.names[columns[place.column]?.name ?? ""];
    const named = staged === undefined ? names?.[text] : undefined;
    // Of a long key, such as a uuid, the name is what people read.
    const [first, second] = named !== undefined && text.length > SHORT_KEY ? [named, text] : [text, named];
    return (
      <>
        {readable(first)}
        {isCut(place) && "…"}
        {second !== undefined && <small>{readable(second)}</small>}
      </>
    );
  };

  return (
    <>
      <main className="data">
        <Heading>{name}</Heading>
        <div className="bar">
          <LensPicker {...{ lens, roles, url }} />
          <Search
            placeholder="Filter: a text  status=open  id>4  note=null"
            value={where}
            onChange={filterBy(url)}
          />
          <Button label="Refresh" onClick={again} />
          {found && found.rows.length > 0 && found.refused === undefined && (
            <Button label="Export" shortcut="e" onClick={() => setExporting(true)} />
          )}
          {editable && <Button label="Insert" shortcut="n" onClick={() => setInserting(true)} />}
        </div>
        <Notes table={table} lens={lens} found={found} failure={failure} />
        {found && found.rows.length === 0 ? (
          <Empty onClear={where === "" ? undefined : () => filterBy(url)("")}>
            {where === "" ? "No rows yet." : "No row matches."}
          </Empty>
        ) : (
          <div className="listing" aria-busy={asking}>
            {found && (
              <Grid
                {...grid}
                label={`Rows of ${name}`}
                columns={columns.map((column) => ({
                  name: column.name,
                  note: shortType(column.type),
                  sortable: column.sortable && keyed,
                  withheld: found.withheld.includes(column.name),
                }))}
                hidden={hidden}
                order={order}
                onOrder={sort}
                cell={(place) => editorAt(place) ?? cell(place)}
              />
            )}
          </div>
        )}
        <ChangesBar
          changes={changes}
          lens={lens}
          onDiscard={() => onChanges([])}
          onSaved={() => {
            onChanges([]);
            again();
          }}
        />
        <footer className="foot">
          {found && <span role="status">{asking ? "Reading…" : countText(found, lens, keyed)}</span>}
          {milliseconds !== undefined && <span>{milliseconds} ms</span>}
          {keyed && !opened && found && found.rows.length > 0 && (
            <span className="hint">
              Click a key for the row's details{editable && ", double-click a value to edit it"}
            </span>
          )}
          <Pages pages={pages} next={found?.next} onPages={turn} />
        </footer>
      </main>
      {pane}
      {dialog}
      {exporting && (
        <ExportDialog ask={ask} staged={changes.length > 0} onClose={() => setExporting(false)} />
      )}
      {inserting && (
        <InsertDialog
          columns={columns}
          onCancel={() => setInserting(false)}
          onDone={(values) => stage([...changes, { kind: "insert", table: own, values }])}
        />
      )}
    </>
  );
}
