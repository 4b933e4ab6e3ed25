/** Owns: where the focus goes when the element that had it is removed. */
import { useEffect, useRef } from "react";

/**
 * When a part goes, or changes to `stage`, and takes the focused element with it, the focus goes to the open tab or to
 * the screen: otherwise the next Tab would start at the top of the page.
 */
export function useFocusBack(stage?: unknown): void {
  const last = useRef<EventTarget | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stage is what the effect ends with.
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      last.current = target;
    };
    document.addEventListener("focusin", remember);
    return () => {
      document.removeEventListener("focusin", remember);
      const removed = last.current instanceof Element && !last.current.isConnected;
      if (!removed || document.activeElement !== document.body) return;
      const find = (selector: string) => document.querySelector<HTMLElement>(selector);
      (find('[role="tab"][aria-selected="true"]') ?? find("main"))?.focus({ preventScroll: true });
    };
  }, [stage]);
}
