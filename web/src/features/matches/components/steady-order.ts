/**
 * Owns: a stable order of the ranked pairs. A new ranking replaces it at once if the viewer asked for it or does not
 * point at the list; else the viewer is offered it.
 */
import { type FocusEvent, useCallback, useState } from "react";
import { keepOrder, keyOf, type Pair } from "../ranking.ts";

export interface Steady {
  pairs: Pair[];
  /** The ranking is another than what is shown. */
  moved: boolean;
  showNew: () => void;
  /** For the element around the list: whether somebody is at it. */
  handlers: {
    onPointerEnter: () => void;
    onPointerLeave: () => void;
    onFocus: () => void;
    onBlur: (event: FocusEvent) => void;
  };
}

/**
 * @param ranked best first
 * @param asked changes when the viewer themselves asked for another order
 * @param most how many of them are seen at once
 */
export function useSteadyOrder(ranked: readonly Pair[], asked: string, most: number): Steady {
  const [shown, setShown] = useState({ keys: ranked.map(keyOf), asked });
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const { pairs, moved } = keepOrder(shown.keys, ranked, most);
  // Set while rendering, which begins again: the old order is never painted.
  if ((moved && !pointed && !focused) || shown.asked !== asked) setShown({ keys: ranked.map(keyOf), asked });
  return {
    pairs,
    moved,
    showNew: useCallback(() => setShown({ keys: ranked.map(keyOf), asked }), [ranked, asked]),
    handlers: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      onFocus: () => setFocused(true),
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(false);
      },
    },
  };
}
