/** Owns what stands in the list's place where there is no list, and the line beneath it. */
import { type ReactNode, useEffect, useState } from "react";
import type { FeedState, FeedStore } from "../app/feed-store.ts";
import { Empty, Plain } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { amount, counted, timeOfDay } from "../parts/words.ts";

const COMMAND = "npx homebase console";
const SECOND_MS = 1_000;
const AGAIN = 5;

interface ContentProps {
  state: FeedState;
  store: FeedStore;
  /** Rows that are shown, and those before the feed was cleared. */
  shown: number;
  earlier: number;
  onAll(): void;
  children: ReactNode;
}

export function Content({ state, store, shown, earlier, onAll, children }: ContentProps) {
  const { loaded, filter, about, others } = state;
  const cleared = earlier > 0 && (
    <p className="cleared">
      Cleared. <Plain label={`Show ${counted(earlier, "earlier row")}`} onClick={() => store.showAll()} />
    </p>
  );
  if (shown > 0 || !loaded || earlier > 0)
    return (
      <>
        {cleared}
        {shown > 0 || !loaded ? children : <Empty>Nothing since. New requests appear here.</Empty>}
      </>
    );
  const without = ` Without the filter there ${others === 1 ? "is" : "are"} ${counted(others, "row")}.`;
  if (filter !== "") return <Empty onClear={onAll}>{`No row matches.${others > 0 ? without : ""}`}</Empty>;
  const command = about && `curl '${about.url}/auth/v1/settings' -H 'apikey: ${about.publishableKey}'`;
  return (
    <Empty>
      <p>Nothing yet. What your app asks for appears here.</p>
      {command && (
        <>
          <pre>{command}</pre>
          <Copy text={command} label="Copy" />
        </>
      )}
    </Empty>
  );
}

export function Foot({ state, shown }: { state: FeedState; shown: number }) {
  const { leftOut, hidden, arrivals } = state;
  const now = useNow(SECOND_MS * AGAIN);
  const minute = arrivals.reduce((sum, [at, count]) => sum + (at > now - 60 * SECOND_MS ? count : 0), 0);
  return (
    <footer className="foot">
      <span role="status" className={state.connection.kind === "live" ? "live" : "off"}>
        {connectionText(state)}
      </span>
      <span>{amount(minute)} a minute</span>
      <span>{counted(shown, "row")}</span>
      {leftOut > 0 && <span className="mark part">{amount(leftOut)} left out: filter to see them</span>}
      {hidden > 0 && (
        <span>
          {hidden === 1 ? "1 preflight or probe" : `${amount(hidden)} preflights and probes`} hidden
        </span>
      )}
    </footer>
  );
}

/** Whether the stack answers, and otherwise what helps. */
export function connectionText({ connection, paused, replaced }: FeedState): string {
  switch (connection.kind) {
    case "live":
      if (replaced?.now) return "The database is being replaced. Requests wait";
      return paused ? "Paused" : "Live";
    case "stopped":
      return `Stopped at ${timeOfDay(connection.since)}. Rows stay; waiting for the stack at port ${location.port}`;
    case "again":
      return `${connection.message ?? "The stack was started again."} Rows stay; open a new link: ${COMMAND}`;
    case "other":
      return "Another project runs here now. Rows stay";
    default:
      return "Entering";
  }
}

/** The time, read again every so often. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  // Requests that arrived after the last tick count at once.
  return Math.max(now, Date.now());
}

export function Locked({ message }: { message: string | undefined }) {
  return (
    <main className="locked">
      <h1>This page opens with a link</h1>
      {message !== undefined && <p role="alert">{message}</p>}
      <p>Run this in your project, and open the link that it prints:</p>
      <pre>{COMMAND}</pre>
      <Copy text={COMMAND} label="Copy" />
    </main>
  );
}

/** The frame before anything is known. */
export function Frame({ state }: { state: FeedState }) {
  return (
    <div className="frame">
      <nav className="menu" aria-label="Views" />
      <main aria-busy="true">
        <h1 className="unseen">Feed</h1>
        <div className="bar" />
        <div className="empty" />
        <Foot state={state} shown={0} />
      </main>
    </div>
  );
}
