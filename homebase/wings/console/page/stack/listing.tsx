/** Owns a list with the details of its rows, and those of the Stack view, which are read when opened or refreshed. */
import { type ReactNode, useState } from "react";
import { filterBy } from "../app/address.ts";
import { Grid, type Place } from "../data/grid.tsx";
import { Button, Empty, Heading, Search } from "../parts/controls.tsx";
import { Alert, DetailsPane } from "../parts/detail-frame.tsx";
import { Facts, type FactsOf } from "../parts/facts.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";

export interface ListedRow {
  title: string;
  cells: readonly string[];
  /** Cells that say what is wrong, by their place. */
  marks?: { readonly [place: number]: "shut" | "part" | undefined };
  /** Whether the lens does not get it. */
  hidden?: boolean;
  /** Besides the cells, which are facts of the details as well. */
  facts?: FactsOf;
  /** Where it leads, instead of to its details. */
  onEnter?(): void;
  /** Before and after the facts. */
  lead?: ReactNode;
  details?: ReactNode;
  actions?: ReactNode;
}

interface RowListProps {
  title: string;
  columns: readonly string[];
  /** Undefined until they were read. */
  rows: readonly ListedRow[] | undefined;
  failure: string | undefined;
  filter: string;
  placeholder: string;
  onFilter(filter: string): void;
  onRefresh(): void;
  /** At the beginning and the end of the bar. */
  lens?: ReactNode;
  actions?: ReactNode;
  notes?: ReactNode;
  /** In place of no rows. */
  empty: ReactNode;
  count: string;
  hint?: boolean;
  pages?: ReactNode;
  /** Another one closes the details, which may cover what is said above the rows. */
  acts?: number;
}

export function RowList(props: RowListProps) {
  const { title, columns, rows, failure, filter, placeholder, onFilter, onRefresh } = props;
  const { lens, actions, notes, empty, count, hint, pages, acts } = props;
  const [active, setActive] = useState<Place>();
  /** The title of the row whose details are open, as another read may have it at another place; and the acts until then. */
  const [opened, setOpened] = useState<{ title: string; acts: number | undefined }>();
  const row = opened?.acts === acts ? rows?.find(({ title }) => title === opened?.title) : undefined;
  const close = () => setOpened(undefined);
  const hidden = new Set(rows?.flatMap((one, at) => (one.hidden ? [at] : [])));
  /** @param entering whether a row that leads elsewhere is followed */
  const open = (place: Place | undefined, entering: boolean) => {
    const chosen = place && rows?.[place.row];
    if (entering) chosen?.onEnter?.();
    setOpened(chosen && !chosen.onEnter ? { title: chosen.title, acts } : undefined);
  };
  const filterBy = (text: string) => {
    setActive(undefined);
    close();
    onFilter(text);
  };
  return (
    <>
      <main className="data stack">
        <Heading>{title}</Heading>
        <div className="bar">
          {lens}
          <Search placeholder={placeholder} value={filter} onChange={filterBy} />
          <Button label="Refresh" onClick={onRefresh} />
          {actions}
        </div>
        {(failure !== undefined || notes) && (
          <div className="cleared">
            <Alert text={failure} />
            {notes}
          </div>
        )}
        {rows?.length === 0 ? (
          <Empty onClear={filter === "" ? undefined : () => filterBy("")}>{empty}</Empty>
        ) : (
          <div className="listing" aria-busy={!rows && failure === undefined}>
            {rows && (
              <Grid
                label={title}
                columns={columns.map((name) => ({ name }))}
                rows={rows.map(({ cells }) => cells)}
                hidden={hidden}
                active={active}
                cell={(place) => {
                  const { cells = [], marks } = rows[place.row] ?? {};
                  const mark = marks?.[place.column];
                  const cell = cells[place.column];
                  return mark === undefined ? cell : <span className={`mark ${mark}`}>{cell}</span>;
                }}
                onActive={(place, clicked) => {
                  setActive(place);
                  if (clicked || row) open(place, clicked);
                }}
                onDetails={() => (row ? close() : open(active, true))}
                // The first click of a double one has followed it, and here is another list by now.
                onOpen={open}
              />
            )}
          </div>
        )}
        <footer className="foot">
          {rows && <span role="status">{count}</span>}
          {hint && !row && rows && rows.length > 0 && (
            <span className="hint">Click a row for its details</span>
          )}
          {pages}
        </footer>
      </main>
      {row && (
        <DetailsPane title={row.title} of={title} actions={row.actions} {...{ failure }} onClose={close}>
          {row.lead}
          {row.facts && (
            <Facts facts={[...columns.map((name, at) => [name, row.cells[at]] as const), ...row.facts]} />
          )}
          {row.details}
        </DetailsPane>
      )}
    </>
  );
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

/** @param url its filter is in the address */
export function Listing<Name extends Listable>({ listing, url }: { listing: ListingOf<Name>; url: URL }) {
  const { call, title, one, columns } = listing;
  const { answer, failure, again } = useAnswer<Name>(call, {});
  const filter = url.searchParams.get("q") ?? "";
  const words = filter.toLowerCase().split(/\s+/);
  const all = answer === undefined ? [] : listing.rows(answer);
  const rows = all.filter(({ cells }) => {
    const own = cells.join(" ").toLowerCase();
    return words.every((word) => own.includes(word));
  });
  return (
    <RowList
      {...{ title, columns, failure, filter }}
      rows={answer && rows}
      placeholder={`Filter: ${columns.join(", ")}`}
      onFilter={filterBy(url)}
      onRefresh={again}
      notes={answer && listing.notes?.(answer)}
      empty={all.length === 0 ? listing.empty : "No row matches."}
      count={`${rows.length < all.length ? `${rows.length} of ` : ""}${counted(all.length, one)}`}
      hint
    />
  );
}
