/**
 * Owns: the way Back of the browser or the phone while something lies over the screen: it closes that first. Each such part
 * has a history entry of its own, so that Back does not leave the app on its first page either.
 */
import { useEffect, useRef } from "react";

/** What lies over the screen, the topmost last. */
const open: { close: () => void }[] = [];
/** Steps back that remove the entry of a part that was closed in another way. */
let removals = 0;
let listening = false;

const isEntry = () => Boolean((history.state as { over?: boolean } | null)?.over);

/** Hears of a step before the router does, whose page stays the same. */
function onStep(event: PopStateEvent) {
  if (removals > 0) removals -= 1;
  else if (open.length > 0) open.pop()?.close();
  // An entry that was left by a link inside the part: there is nothing to show for it.
  else if (isEntry()) history.back();
  else return;
  event.stopImmediatePropagation();
}

/** While mounted, Back calls `close` and the screen stays. */
export function useBackCloses(close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    if (!listening) addEventListener("popstate", onStep, { capture: true });
    listening = true;
    const part = { close: () => latest.current() };
    open.push(part);
    // The router replaces the method of `history`; it must not hear of this entry.
    History.prototype.pushState.call(history, { ...history.state, over: true }, "");
    return () => {
      const index = open.indexOf(part);
      if (index < 0) return;
      open.splice(index, 1);
      if (!isEntry()) return;
      removals += 1;
      history.back();
    };
  }, []);
}
