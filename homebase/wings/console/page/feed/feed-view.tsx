/** Owns the Feed: the bar, the list beside its details, and what the page says when there is no list. */
import { useEffect, useMemo, useState } from "react";
import type { Sent } from "../../server/api.ts";
import { goTo, useAddress, withParameters } from "../app/address.ts";
import { type FeedState, type FeedStore, merged, runningOf } from "../app/feed-store.ts";
import { useKeys } from "../app/keys.tsx";
import { Button, Heading, Search } from "../parts/controls.tsx";
import { useMedia } from "../parts/media.ts";
import { duration } from "../parts/words.ts";
import { type Begun, Chips, stripOf } from "./chips.tsx";
import { type Item, itemsOf } from "./items.ts";
import { List } from "./list.tsx";
import { MadeTest } from "./made-test.tsx";
import { Pane } from "./request-details.tsx";
import { Send } from "./send-form.tsx";
import { Content, Foot, useNow } from "./states.tsx";

const TYPING_MS = 150;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Filter and selection are in the address; neither is a step to go back from. */
function change(parameters: { q?: string; open?: string | undefined }): void {
  if (location.pathname === "/") goTo(withParameters(new URL(location.href), parameters), { replace: true });
}

export function FeedView({ store, state }: { store: FeedStore; state: FeedState }) {
  const url = useAddress();
  const open = url.searchParams.get("open") ?? undefined;
  const filter = url.searchParams.get("q") ?? "";
  const [typed, setTyped] = useState(filter);
  const [asked, setAsked] = useState(0);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<"send" | "test" | Begun>();
  // Answers of requests that were sent from here: the stack keeps none.
  const [answers, setAnswers] = useState<ReadonlyMap<string, Sent>>(new Map());
  const narrow = useMedia("(max-width: 720px)");

  const runs = runningOf(state);
  const now = useNow(runs.length > 0 ? SECOND_MS : MINUTE_MS);
  // Thousands of rows are not looked through each second for a time that nobody sees.
  const second = runs.length > 0 ? Math.floor(now / SECOND_MS) : 0;
  const earlier = state.rows.filter(({ at }) => at < state.cleared).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `runs` follows from the state that is listed, and `second` makes its times new
  const visible = useMemo(() => {
    const ended = state.rows.filter(({ at }) => at >= state.cleared);
    const running = runs.map((row) => {
      const ms = Math.max(0, Date.now() - row.at);
      // There is no column for it.
      return { ...row, ms, outcome: narrow ? `${row.outcome} ${duration(ms)}` : row.outcome };
    });
    return merged(ended, running, new Set(running.map(({ id }) => id)));
  }, [state.rows, state.cleared, state.running, state.pausedAt, second, narrow]);
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
  const unfold = (item: Item) => {
    if (item.kind !== "row" || item.times === 1) return;
    setUnfolded(new Set([...unfolded, ...item.folded.map(({ id }) => id)]));
  };
  const [next, before] = [() => move(1), () => move(-1)];
  useKeys({
    ...{ j: next, ArrowDown: next, k: before, ArrowUp: before },
    Enter: () => {
      const item = items.find((one) => one.kind === "row" && one.row.id === open);
      if (item) unfold(item);
      document.querySelector<HTMLElement>(".pane button")?.focus();
    },
  });
  const strip = stripOf(filter);
  const begun = typeof dialog === "object" ? dialog : undefined;
  const close = () => setDialog(undefined);
  const fresh = state.waiting.length > 0 ? `, ${state.waiting.length} new` : "";
  return (
    <>
      <main>
        <Heading>Feed</Heading>
        <div className="bar">
          <Search
            placeholder="Filter: user:ana  status:4  is:empty  a path, an error…"
            value={typed}
            onChange={setTyped}
          />
          <Button label="Clear" shortcut="x" onClick={() => store.clear()} />
          <Button
            label={state.paused ? `Resume${fresh}` : "Pause"}
            shortcut="p"
            aria-pressed={state.paused}
            onClick={() => store.pause()}
          />
        </div>
        {strip && <Chips kind={strip} filter={filter} onFilter={setTyped} onBegin={setDialog} />}
        <Content
          state={state}
          store={store}
          shown={items.length}
          earlier={earlier}
          onAll={() => setTyped("")}
        >
          <List items={items} selected={open} narrow={narrow} onSelect={select} onOpen={unfold} />
        </Content>
        <Foot state={state} shown={visible.length} />
      </main>
      {open !== undefined && (
        <Pane
          id={open}
          running={runs.some(({ id }) => id === open)}
          asked={asked}
          about={state.about}
          sent={answers.get(open)}
          onClose={() => select(undefined)}
          onSelect={select}
          onWhy={() => setAsked(asked + 1)}
          onSend={() => setDialog("send")}
          onTest={() => setDialog("test")}
        />
      )}
      {dialog === "test" && open !== undefined && <MadeTest id={open} onClose={close} />}
      {(begun || (dialog === "send" && open !== undefined)) && (
        <Send
          id={begun ? "" : (open ?? "")}
          begun={begun}
          onClose={close}
          onSent={(sent) => {
            setAnswers(new Map([...answers, [sent.id, sent]]));
            close();
            select(sent.id);
          }}
        />
      )}
    </>
  );
}
