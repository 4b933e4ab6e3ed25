/** Owns: the current time for components, which render again as it changes. */
import { useSyncExternalStore } from "react";

/** Half a minute: the smallest displayed unit is a minute. */
const TICK_MS = 30_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, TICK_MS);
    // The timers of a page that nobody sees may stand still.
    document.addEventListener("visibilitychange", tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener("visibilitychange", tick);
  };
}

function read(): number {
  // Between two ticks all components show the same time; while no component listens, there are no ticks.
  if (timer === undefined && Date.now() - now >= TICK_MS) now = Date.now();
  return now;
}

/** The time in ms, at most half a minute old; the component renders again as it moves. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read);
}
