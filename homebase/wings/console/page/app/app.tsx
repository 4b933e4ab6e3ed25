/** Owns the frame: the menu, the bar, the list beside its details, and what the page says when there is no list. */
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { type Item, itemsOf } from "../feed/items.ts";
import { List } from "../feed/list.tsx";
import { Copy, Pane } from "../feed/pane.tsx";
import { counted, timeOfDay } from "../parts/words.ts";
import type { FeedState, FeedStore } from "./feed-store.ts";
import { KeysDialog, useKeys, useSingleKeys } from "./keys.tsx";

/** Saved filters; the menu has no views that are not there. */
const FILTERS = [
  ["All", ""],
  ["Failed", "is:failed"],
  ["Empty", "is:empty"],
  ["Slow", "is:slow"],
  ["REST", "service:rest"],
  ["Auth", "service:auth"],
  ["Storage", "service:storage"],
  ["Functions", "service:functions"],
] as const;

const TYPING_MS = 150;

export function App({ store }: { store: FeedStore }) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const [open, setOpen] = useState(() => new URLSearchParams(location.search).get("open") ?? undefined);
  const [typed, setTyped] = useState(state.filter);
  const [asked, setAsked] = useState(0);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const filterField = useRef<HTMLInputElement>(null);
  const keysDialog = useRef<HTMLDialogElement>(null);
  const singleKeys = useSingleKeys();
  const narrow = useMedia("(max-width: 720px)");
  const covered = useMedia("(max-width: 1079px)");

  const visible = useMemo(
    () => state.rows.filter(({ at }) => at >= state.cleared),
    [state.rows, state.cleared],
  );
  const items = useMemo(() => itemsOf(visible, unfolded), [visible, unfolded]);

  useEffect(() => {
    const timer = setTimeout(() => store.filterBy(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, store]);
  // Reload, back and a copied link lead here again.
  useEffect(() => {
    const query = new URLSearchParams();
    if (state.filter !== "") query.set("q", state.filter);
    if (open !== undefined) query.set("open", open);
    history.replaceState(null, "", query.size === 0 ? "/" : `/?${query}`);
  }, [state.filter, open]);

  const select = (id: string | undefined) => {
    setOpen(id);
    setAsked(0);
  };
  const move = (by: 1 | -1) => {
    const rows = items.filter((item) => item.kind === "row");
    const at = rows.findIndex((item) => item.row.id === open);
    const next = at < 0 ? (by < 0 ? rows.at(-1) : rows[0]) : rows[at + by];
    if (next) select(next.row.id);
  };
  const unfold = (item: Item) => {
    if (item.kind !== "row" || item.times === 1) return;
    setUnfolded(new Set([...unfolded, ...item.folded.map(({ id }) => id)]));
  };
  useKeys(singleKeys.on, {
    "/": () => filterField.current?.focus(),
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    Enter: () => {
      const item = items.find((one) => one.kind === "row" && one.row.id === open);
      if (item) unfold(item);
      document.querySelector<HTMLElement>(".pane button")?.focus();
    },
    Escape: () => select(undefined),
    p: () => store.pause(),
    x: () => store.clear(),
    y: () => setAsked(asked + 1),
    c: () => document.querySelector<HTMLElement>('.pane [data-key="c"]')?.click(),
    "?": () => keysDialog.current?.showModal(),
  });

  if (state.connection.kind === "entering" && state.rows.length === 0) return <Frame state={state} />;
  if (state.connection.kind === "locked") return <Locked message={state.connection.message} />;
  const pane = open !== undefined && (
    <Pane
      id={open}
      asked={asked}
      narrow={covered}
      onClose={() => select(undefined)}
      onSelect={select}
      onWhy={() => setAsked(asked + 1)}
    />
  );
  return (
    <div className={open === undefined ? "frame" : "frame with-pane"}>
      <nav className="menu" aria-label="Saved filters">
        <p className="project">
          <b>{state.about?.project}</b>
          <small>{state.about && new URL(state.about.url).host}</small>
        </p>
        <ul>
          {FILTERS.map(([name, filter]) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={state.filter === filter}
                onClick={() => {
                  setTyped(filter);
                  store.filterBy(filter);
                }}
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
        <button type="button" className="plain keys" onClick={() => keysDialog.current?.showModal()}>
          Keys <kbd>?</kbd>
        </button>
      </nav>
      <main>
        <h1 className="unseen">Feed</h1>
        <div className="bar">
          <input
            ref={filterField}
            type="search"
            aria-label="Filter"
            placeholder="Filter: user:ana  status:4  is:empty  a path, an error…"
            value={typed}
            spellCheck={false}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => setTyped(value)}
            onKeyDown={(event) => {
              if (event.key === "Escape" || event.key === "Enter") event.currentTarget.blur();
            }}
          />
          <button type="button" onClick={() => store.clear()}>
            Clear <kbd>x</kbd>
          </button>
          <button type="button" aria-pressed={state.paused} onClick={() => store.pause()}>
            {state.paused
              ? `Resume${state.waiting.length > 0 ? `, ${state.waiting.length} new` : ""}`
              : "Pause"}{" "}
            <kbd>p</kbd>
          </button>
        </div>
        <Content
          state={state}
          store={store}
          items={items}
          earlier={state.rows.length - visible.length}
          onAll={() => setTyped("")}
        >
          <List items={items} selected={open} narrow={narrow} onSelect={select} onOpen={unfold} />
        </Content>
        <Foot state={state} shown={visible.length} />
      </main>
      {pane}
      <KeysDialog ref={keysDialog} singleKeys={singleKeys} />
    </div>
  );
}

interface ContentProps {
  state: FeedState;
  store: FeedStore;
  items: readonly Item[];
  earlier: number;
  onAll(): void;
  children: React.ReactNode;
}

function Content({ state, store, items, earlier, onAll, children }: ContentProps) {
  const { loaded, filter, about } = state;
  const cleared = earlier > 0 && (
    <p className="cleared">
      Cleared.{" "}
      <button type="button" className="plain" onClick={() => store.showAll()}>
        Show {counted(earlier, "earlier row")}
      </button>
    </p>
  );
  if (items.length > 0 || !loaded)
    return (
      <>
        {cleared}
        {children}
      </>
    );
  if (earlier > 0)
    return (
      <>
        {cleared}
        <div className="empty">
          <p>Nothing since. New requests appear here.</p>
        </div>
      </>
    );
  if (filter !== "")
    return (
      <div className="empty">
        <p>No row matches.</p>
        <button type="button" onClick={onAll}>
          Clear the filter
        </button>
      </div>
    );
  const command = about && `curl '${about.url}/auth/v1/settings' -H 'apikey: ${about.publishableKey}'`;
  return (
    <div className="empty">
      <p>Nothing yet. What your app asks for appears here.</p>
      {command && (
        <>
          <pre>{command}</pre>
          <Copy text={command} label="Copy" />
        </>
      )}
    </div>
  );
}

function Foot({ state, shown }: { state: FeedState; shown: number }) {
  const { connection, leftOut, hidden, paused } = state;
  const said =
    connection.kind === "live"
      ? paused
        ? "Paused"
        : "Live"
      : connection.kind === "stopped"
        ? `Stopped at ${timeOfDay(connection.since)}. Rows stay; waiting for the stack`
        : connection.kind === "again"
          ? "The stack was started again. Rows stay; open a new link: npx homebase console"
          : connection.kind === "other"
            ? "Another project runs here now. Rows stay"
            : "Entering";
  return (
    <footer className="foot">
      <span role="status" className={connection.kind === "live" ? "live" : "off"}>
        {said}
      </span>
      <span>{counted(shown, "row")}</span>
      {leftOut > 0 && (
        <span className="mark part">{leftOut.toLocaleString()} left out: filter to see them</span>
      )}
      {hidden > 0 && <span>{counted(hidden, "preflight or probe").replace("probes", "probes")} hidden</span>}
    </footer>
  );
}

function Locked({ message }: { message: string | undefined }) {
  const command = "npx homebase console";
  return (
    <main className="locked">
      <h1>This page opens with a link</h1>
      {message !== undefined && <p role="alert">{message}</p>}
      <p>Run this in your project, and open the link that it prints:</p>
      <pre>{command}</pre>
      <Copy text={command} label="Copy" />
    </main>
  );
}

/** The frame before anything is known. */
function Frame({ state }: { state: FeedState }) {
  return (
    <div className="frame">
      <nav className="menu" aria-label="Saved filters" />
      <main aria-busy="true">
        <h1 className="unseen">Feed</h1>
        <div className="bar" />
        <div className="empty" />
        <Foot state={state} shown={0} />
      </main>
    </div>
  );
}

function useMedia(query: string): boolean {
  const [media] = useState(() => matchMedia(query));
  return useSyncExternalStore(
    (changed) => {
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    () => media.matches,
  );
}
