/** Owns the list: rows of fixed heights, of which only those in sight are drawn. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Row } from "../../server/api.ts";
import { Button } from "../parts/controls.tsx";
import { Strip } from "../parts/gate-strip.tsx";
import { clock, length, pause } from "../parts/words.ts";
import type { Item } from "./items.ts";

const PAUSE_HEIGHT = 20;
const HEAD_HEIGHT = 24;
/** Drawn beyond the edges, so that scrolling shows no gap. */
const BEYOND = 300;
/** Readers of screens hear of new rows at most so often. */
const ANNOUNCED_MS = 5_000;
/** Near enough to the end to follow it. */
const AT_END = 24;

interface ListProps {
  items: readonly Item[];
  selected: string | undefined;
  narrow: boolean;
  onSelect(id: string): void;
  /** Enter on a row: unfolds repeats, or goes into the pane. */
  onOpen(item: Item): void;
}

export function List({ items, selected, narrow, onSelect, onOpen }: ListProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [follows, setFollows] = useState(true);
  /** When the newest row began that was in sight. */
  const seen = useRef(0);
  const rowHeight = narrow ? 52 : 28;
  const tops = useMemo(() => {
    let top = 0;
    const all = items.map((item) => {
      const at = top;
      top += item.kind === "pause" ? PAUSE_HEIGHT : rowHeight;
      return at;
    });
    return [...all, top];
  }, [items, rowHeight]);
  const total = tops.at(-1) ?? 0;
  const stays = selected !== undefined;

  useLayoutEffect(() => {
    const element = grid.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the end moves with the rows' height
  useLayoutEffect(() => {
    if (follows && !stays && grid.current) grid.current.scrollTop = grid.current.scrollHeight;
  }, [total, follows, stays, items.length]);

  // The selected row comes into sight; rows that come later do not move the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice moves the list
  useEffect(() => {
    const at = items.findIndex((item) => item.kind === "row" && item.row.id === selected);
    const element = grid.current;
    if (at < 0 || !element) return;
    const top = tops[at] ?? 0;
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + rowHeight + HEAD_HEIGHT - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
  }, [selected]);

  const first = Math.max(0, tops.findIndex((top) => top > view.top - BEYOND) - 1);
  const end = tops.findIndex((top) => top > view.top + view.height + BEYOND);
  const shown = items.slice(first, end < 0 ? items.length : end);
  const inSight = (follows && !stays) || view.top + view.height >= total + HEAD_HEIGHT - AT_END;
  const newest = items.at(-1);
  if (inSight && newest?.kind === "row") seen.current = newest.row.at;
  const fresh = inSight
    ? 0
    : items.filter((item) => item.kind === "row" && item.row.at > seen.current).length;

  // The list itself is not live for readers of screens: it would never be silent.
  const [announced, setAnnounced] = useState("");
  const latest = useRef(0);
  latest.current = fresh;
  useEffect(() => {
    const timer = setInterval(
      () => setAnnounced(latest.current > 0 ? `${latest.current} new` : ""),
      ANNOUNCED_MS,
    );
    return () => clearInterval(timer);
  }, []);

  return (
    <div className="listing">
      <p className="unseen" role="status">
        {announced}
      </p>
      <div
        className="list"
        ref={grid}
        role="grid"
        tabIndex={0}
        aria-label="What happened"
        aria-rowcount={items.length + 1}
        aria-activedescendant={selected === undefined ? undefined : `row-${selected}`}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          setView({ top: scrollTop, height: clientHeight });
          setFollows(scrollTop + clientHeight >= scrollHeight - AT_END);
        }}
      >
        <div className="head" role="row" aria-rowindex={1}>
          {["Time", "What", "Who", "Gates", "Answer", "ms"].map((name) => (
            <span key={name} role="columnheader" className={name === "ms" ? "number" : undefined}>
              {name}
            </span>
          ))}
        </div>
        <div className="rows" role="rowgroup" style={{ height: total }}>
          {shown.map((item, at) => {
            const top = tops[first + at] ?? 0;
            const index = first + at + 2;
            return item.kind === "pause" ? (
              <div className="pause" role="row" aria-rowindex={index} key={item.id} style={{ top }}>
                <span role="gridcell" aria-label={`Nothing for ${pause(item.ms)}`}>
                  {pause(item.ms)}
                </span>
              </div>
            ) : (
              <Line
                key={item.row.id}
                item={item}
                top={top}
                index={index}
                selected={item.row.id === selected}
                onSelect={onSelect}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
      {fresh > 0 && (
        <Button
          label={`↓ ${fresh} new`}
          className="fresh"
          onClick={() => {
            if (grid.current) grid.current.scrollTop = grid.current.scrollHeight;
            setFollows(true);
          }}
        />
      )}
    </div>
  );
}

interface LineProps {
  item: Extract<Item, { kind: "row" }>;
  top: number;
  index: number;
  selected: boolean;
  onSelect(id: string): void;
  onOpen(item: Item): void;
}

function Line({ item, top, index, selected, onSelect, onOpen }: LineProps) {
  const { row, depth, last, times } = item;
  const { minutes, seconds, fraction } = clock(row.at);
  return (
    <div
      className={`row ${row.mark}${selected ? " selected" : ""}${depth === 1 ? ` child${last ? " last" : ""}` : ""}`}
      id={`row-${row.id}`}
      role="row"
      aria-rowindex={index}
      aria-selected={selected}
      aria-label={nameOf(row, times)}
      style={{ top }}
      onMouseDown={(event) => {
        // The grid keeps the focus, which is its one place in the order of tabs.
        if (event.button !== 0) return;
        onSelect(row.id);
      }}
      onDoubleClick={() => onOpen(item)}
    >
      <span
        role="gridcell"
        className="time"
        // Not before it is asked for: a browser's first date in words takes longer than a page of rows.
        onMouseEnter={({ currentTarget }) => {
          currentTarget.title = new Date(row.at).toLocaleString();
        }}
      >
        <i>{minutes}</i>
        {seconds}
        <i>{fraction}</i>
      </span>
      <span role="gridcell" className="what" title={`${row.verb} ${row.name}${row.rest ?? ""}`}>
        <i className="verb">{row.verb}</i>
        <span className="path">
          <b>{withoutLongIds(row.name)}</b>
          {withoutLongIds(row.rest ?? "")}
        </span>
        {times > 1 && <span className="times">×{times}</span>}
      </span>
      <span role="gridcell" className="who" title={row.who}>
        {row.who}
      </span>
      <span role="gridcell" className="gates">
        <Strip gates={row.gates} />
      </span>
      <span role="gridcell" className="answer">
        <span>{answered(row.status)}</span> <em>{row.outcome}</em>
      </span>
      <span role="gridcell" className="number">
        {row.ms === undefined ? "" : length(row.ms)}
      </span>
    </div>
  );
}

/** A uuid by its beginning, so that what follows it stays in sight; the row's title has it whole. */
function withoutLongIds(text: string): string {
  return text.replace(/\b([\da-f]{8})-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, "$1…");
}

function answered(status: number | undefined): string {
  return status === 0 ? "broken off" : (status?.toString() ?? "");
}

function nameOf({ kind, verb, name, who, status, mark, outcome }: Row, times: number): string {
  const stopped = kind === "request" && mark === "shut" && outcome !== "" ? `stopped at ${outcome}` : outcome;
  return [`${verb} ${name}`, who, status, stopped, times > 1 ? `${times} times` : ""]
    .filter((part) => part !== undefined && part !== "")
    .join(", ");
}
