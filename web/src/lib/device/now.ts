/** Owns: the current time for components, which render again as it changes. */
import { useSyncExternalStore } from "react";

/** Half a minute: the smallest displayed unit is a minute. */
const TICK_MS = 30_000;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The time in ms, at most half a minute old; the component renders again as it moves. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
