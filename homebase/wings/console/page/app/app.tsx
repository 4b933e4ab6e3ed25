/** Owns the frame: the menu, the bar, the list beside its details, and what the page says when there is no list. */
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { Sent } from "../../server/api.ts";
import { type Item, itemsOf } from "../feed/items.ts";
import { List } from "../feed/list.tsx";
import { MadeTest } from "../feed/made-test.tsx";
import { Pane } from "../feed/pane.tsx";
import { Send } from "../feed/send.tsx";
import { Content, Foot, Frame, Locked, useNow } from "../feed/states.tsx";
import { duration } from "../parts/words.ts";
import type { FeedState, FeedStore } from "./feed-store.ts";
import { KeysDialog, useKeys, useSingleKeys } from "./keys.tsx";
import { Palette } from "./palette.tsx";

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
  ["Realtime", "service:realtime"],
  ["Mail", "is:mail"],
  ["Jobs", "is:job"],
  ["Log", "is:log"],
] as const;

const TYPING_MS = 150;
const MINUTE_MS = 60_000;
const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";

/** Presses the details' button of a key, where there is one. */
function press(key: string): void {
  document.querySelector<HTMLElement>(`.pane [data-key="${key}"]`)?.click();
}

export function App({ store }: { store: FeedStore }) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const [open, setOpen] = useState(() => new URLSearchParams(location.search).get("open") ?? undefined);
  const [typed, setTyped] = useState(state.filter);
  const [asked, setAsked] = useState(0);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const filterField = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<"find" | "keys" | "send" | "test">();
  // Answers of requests that were sent from here: the stack keeps none.
  const [answers, setAnswers] = useState<ReadonlyMap<string, Sent>>(new Map());
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
  const filterBy = (filter: string) => {
    setTyped(filter);
    store.filterBy(filter);
  };
  useKeys(singleKeys.on, {
    find: () => setDialog("find"),
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
    t: () => press("t"),
    r: () => press("r"),
    c: () => press("c"),
    "?": () => setDialog("keys"),
  });

  if (state.connection.kind === "entering" && state.rows.length === 0) return <Frame state={state} />;
  if (state.connection.kind === "locked") return <Locked message={state.connection.message} />;
  const pane = open !== undefined && (
    <Pane
      id={open}
      asked={asked}
      narrow={covered}
      about={state.about}
      sent={answers.get(open)}
      onClose={() => select(undefined)}
      onSelect={select}
      onWhy={() => setAsked(asked + 1)}
      onSend={() => setDialog("send")}
      onTest={() => setDialog("test")}
    />
  );
  return (
    <div className={open === undefined ? "frame" : "frame with-pane"}>
      <Menu
        state={state}
        onFilter={filterBy}
        onFind={() => setDialog("find")}
        onKeys={() => setDialog("keys")}
      />
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
          shown={items.length}
          earlier={state.rows.length - visible.length}
          onAll={() => setTyped("")}
        >
          <List items={items} selected={open} narrow={narrow} onSelect={select} onOpen={unfold} />
        </Content>
        <Foot state={state} shown={visible.length} />
      </main>
      {pane}
      {dialog === "keys" && <KeysDialog singleKeys={singleKeys} onClose={() => setDialog(undefined)} />}
      {dialog === "find" && (
        <Palette
          commands={[
            ...FILTERS.map(([name, filter]) => ({ kind: "Filter", name, run: () => filterBy(filter) })),
            { kind: "Command", name: "Clear", run: () => store.clear() },
            { kind: "Command", name: state.paused ? "Resume" : "Pause", run: () => store.pause() },
            { kind: "Command", name: "Keys", run: () => setDialog("keys") },
          ]}
          onFilter={filterBy}
          onRequest={select}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "test" && open !== undefined && <MadeTest id={open} onClose={() => setDialog(undefined)} />}
      {dialog === "send" && open !== undefined && (
        <Send
          id={open}
          onClose={() => setDialog(undefined)}
          onSent={(sent) => {
            setAnswers(new Map([...answers, [sent.id, sent]]));
            setDialog(undefined);
            select(sent.id);
          }}
        />
      )}
    </div>
  );
}

interface MenuProps {
  state: FeedState;
  onFilter(filter: string): void;
  onFind(): void;
  onKeys(): void;
}

function Menu({ state, onFilter, onFind, onKeys }: MenuProps) {
  const { about } = state;
  const now = useNow(MINUTE_MS);
  const counts: Readonly<Record<string, number>> = {
    "is:failed": state.failed,
    "is:empty": state.empty,
    "is:mail": state.mails,
  };
  return (
    <nav className="menu" aria-label="Saved filters">
      <p className="project">
        <b>{about?.project}</b>
        {about && (
          <small>
            {new URL(about.url).port}, up {duration(now - about.began)}
          </small>
        )}
      </p>
      <ul>
        {FILTERS.map(([name, filter]) => (
          <li key={name}>
            <button type="button" aria-pressed={state.filter === filter} onClick={() => onFilter(filter)}>
              {name}
              {(counts[filter] ?? 0) > 0 && <small>{counts[filter]?.toLocaleString()}</small>}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="plain keys" onClick={onFind}>
        Find <kbd>{MODIFIER}K</kbd>
      </button>
      <button type="button" className="plain" onClick={onKeys}>
        Keys <kbd>?</kbd>
      </button>
    </nav>
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
