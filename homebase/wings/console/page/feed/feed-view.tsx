/** Owns the Feed: the bar, the list beside its details, and what the page says when there is no list. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Sent } from "../../server/api.ts";
import { goTo, useAddress, withParameters } from "../app/address.ts";
import type { FeedState, FeedStore } from "../app/feed-store.ts";
import { useKeys } from "../app/keys.tsx";
import { useMedia } from "../parts/media.ts";
import { type Begun, Chips, stripOf } from "./chips.tsx";
import { type Item, itemsOf } from "./items.ts";
import { List } from "./list.tsx";
import { MadeTest } from "./made-test.tsx";
import { Pane } from "./pane.tsx";
import { Send } from "./send.tsx";
import { Content, Foot } from "./states.tsx";

const TYPING_MS = 150;

/** Presses the details' button of a key, where there is one. */
function press(key: string): void {
  document.querySelector<HTMLElement>(`.pane [data-key="${key}"]`)?.click();
}

/** Filter and selection are in the address; neither is a step to go back from. */
function change(parameters: { q?: string; open?: string | undefined }): void {
  if (location.pathname === "/") goTo(withParameters(new URL(location.href), parameters), { replace: true });
}

interface FeedViewProps {
  store: FeedStore;
  state: FeedState;
  menu: ReactNode;
  singleKeys: boolean;
  onFind(): void;
  onKeys(): void;
}

export function FeedView({ store, state, menu, singleKeys, onFind, onKeys }: FeedViewProps) {
  const url = useAddress();
  const open = url.searchParams.get("open") ?? undefined;
  const filter = url.searchParams.get("q") ?? "";
  const [typed, setTyped] = useState(filter);
  const [asked, setAsked] = useState(0);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const filterField = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<"send" | "test" | Begun>();
  // Answers of requests that were sent from here: the stack keeps none.
  const [answers, setAnswers] = useState<ReadonlyMap<string, Sent>>(new Map());
  const narrow = useMedia("(max-width: 720px)");

  const visible = useMemo(
    () => state.rows.filter(({ at }) => at >= state.cleared),
    [state.rows, state.cleared],
  );
  const items = useMemo(() => itemsOf(visible, unfolded), [visible, unfolded]);

  useEffect(() => {
    setTyped(filter);
    store.filterBy(filter);
  }, [filter, store]);
  useEffect(() => {
    const timer = setTimeout(() => change({ q: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  const select = (id: string | undefined) => {
    change({ open: id });
    setAsked(0);
  };
  const move = (by: 1 | -1) => {
    const rows = items.filter((item) => item.kind === "row");
    const at = rows.findIndex((item) => item.row.id === open);
    const next = at < 0 ? (by < 0 ? rows.at(-1) : rows[0]) : rows[at + by];
    if (next) select(next.row.id);
  };
  const strip = stripOf(filter);
  const begun = typeof dialog === "object" ? dialog : undefined;
  const unfold = (item: Item) => {
    if (item.kind !== "row" || item.times === 1) return;
    setUnfolded(new Set([...unfolded, ...item.folded.map(({ id }) => id)]));
  };
  useKeys(singleKeys, {
    find: onFind,
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
    "?": onKeys,
  });

  const pane = open !== undefined && (
    <Pane
      id={open}
      asked={asked}
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
      {menu}
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
        {strip && <Chips kind={strip} filter={filter} onFilter={setTyped} onBegin={setDialog} />}
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
      {dialog === "test" && open !== undefined && <MadeTest id={open} onClose={() => setDialog(undefined)} />}
      {(begun || (dialog === "send" && open !== undefined)) && (
        <Send
          id={begun ? "" : (open ?? "")}
          begun={begun}
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
