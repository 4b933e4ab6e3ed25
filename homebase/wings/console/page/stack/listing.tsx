/** Owns how the Stack view lists what the stack says: rows with their details, read when the page is opened or refreshed. */
import { type ReactNode, useRef, useState } from "react";
import { goTo, withParameters } from "../app/address.ts";
import { useKeys } from "../app/keys.tsx";
import { Grid, type Place } from "../data/grid.tsx";
import { Alert, DetailsPane } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";

export interface ListedRow {
  title: string;
  cells: readonly string[];
  /** Cells that say what is wrong, by their place. */
  marks?: { readonly [place: number]: "shut" | "part" | undefined };
  details: ReactNode;
}

export interface ViewProps {
  url: URL;
  singleKeys: boolean;
  onFind(): void;
  onKeys(): void;
}

type Listable = "policies" | "migrations" | "config" | "functions" | "extensions";
type Answer<Name extends Listable> = NonNullable<ReturnType<typeof useAnswer<Name>>["answer"]>;

export interface ListingOf<Name extends Listable> {
  call: Name;
  title: string;
  /** What a row is, e.g. "policy": "policies". */
  one: string;
  columns: readonly string[];
  rows(answer: Answer<Name>): readonly ListedRow[];
  /** Sentences above the rows. */
  notes?(answer: Answer<Name>): ReactNode;
  empty: ReactNode;
}

export function Listing<Name extends Listable>({
  listing: { call, title, one, columns, rows: rowsOf, notes, empty },
  url,
  singleKeys,
  onFind,
  onKeys,
}: ViewProps & { listing: ListingOf<Name> }) {
  const [version, setVersion] = useState(0);
  const [active, setActive] = useState<Place>();
  const [opened, setOpened] = useState(false);
  const filter = useRef<HTMLInputElement>(null);
  const { answer, failure } = useAnswer<Name>(call, {}, { version });
  const text = url.searchParams.get("q") ?? "";
  const words = text.toLowerCase().split(/\s+/);
  const all = answer === undefined ? undefined : rowsOf(answer);
  const rows = all?.filter(({ cells }) => {
    const own = cells.join(" ").toLowerCase();
    return words.every((word) => own.includes(word));
  });
  const row = opened && active ? rows?.[active.row] : undefined;
  const note = answer && notes?.(answer);
  const filterBy = (q: string) => {
    setActive(undefined);
    setOpened(false);
    goTo(withParameters(url, { q }), { replace: true });
  };
  useKeys(singleKeys, {
    find: onFind,
    "?": onKeys,
    "/": () => filter.current?.focus(),
    Escape: () => setOpened(false),
  });
  return (
    <>
      <main className="data stack">
        <h1 className="unseen">{title}</h1>
        <div className="bar">
          <input
            ref={filter}
            type="search"
            aria-label="Filter"
            placeholder={`Filter: ${columns.join(", ")}`}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => filterBy(value)}
          />
          <button type="button" onClick={() => setVersion(version + 1)}>
            Refresh
          </button>
        </div>
        {(failure !== undefined || note) && (
          <div className="cleared">
            <Alert text={failure} />
            {note}
          </div>
        )}
        {rows?.length === 0 ? (
          <div className="empty">
            {all?.length === 0 ? empty : <p>No row matches.</p>}
            {text !== "" && (
              <button type="button" onClick={() => filterBy("")}>
                Clear the filter
              </button>
            )}
          </div>
        ) : (
          <div className="listing" aria-busy={!rows && failure === undefined}>
            {rows && (
              <Grid
                label={title}
                columns={columns.map((name) => ({ name, sortable: false }))}
                rows={rows.map(({ cells }) => cells)}
                active={active}
                cell={(place) => {
                  const { cells = [], marks } = rows[place.row] ?? {};
                  const mark = marks?.[place.column];
                  const cell = cells[place.column];
                  return mark === undefined ? cell : <span className={`mark ${mark}`}>{cell}</span>;
                }}
                onActive={(place, clicked) => {
                  setActive(place);
                  if (clicked) setOpened(true);
                }}
                onDetails={() => setOpened(!opened)}
                onOpen={() => setOpened(true)}
              />
            )}
          </div>
        )}
        <footer className="foot">
          {rows && all && (
            <span role="status">
              {rows.length < all.length && `${rows.length} of `}
              {counted(all.length, one)}
            </span>
          )}
          {rows && !row && rows.length > 0 && <span className="hint">Click a row for its details</span>}
        </footer>
      </main>
      {row && (
        <DetailsPane title={row.title} of={title} onClose={() => setOpened(false)}>
          {row.details}
        </DetailsPane>
      )}
    </>
  );
}
