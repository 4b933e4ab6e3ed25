/**
 * Owns: painting cells of the board: with a drag of the mouse, a sideways swipe, taps on the first and the
 * last cell, or Shift and the arrow keys. It handles option ids only.
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Board, between, step } from "../board.ts";

/** Minimum sideways distance for a swipe to paint; less is a tap. */
const TOUCH_SLACK_PX = 10;

interface Stroke {
  from: string;
  to: string;
}

export interface Painting {
  /** In the current stroke, or the first of a range. */
  marked: ReadonlySet<string>;
  /** The one cell in the tab order. */
  reachable: string | null;
  /** The hovered cell, else the last focused one. */
  shown: string | null;
  /** Whether the first cell of a range has been tapped. */
  begun: boolean;
  /** Cancels the current selection; always the same function. */
  cancel: () => void;
  handlers: {
    onPointerDown: (event: PointerEvent) => void;
    onPointerMove: (event: PointerEvent) => void;
    onPointerUp: (event: PointerEvent) => void;
    onPointerCancel: () => void;
    onPointerLeave: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
    onClick: (event: MouseEvent) => void;
    onBlur: (event: FocusEvent) => void;
  };
}

/**
 * @param open whether painting is possible
 * @param several whether two taps select a range
 * @param paint called with the cells; `single` when one was pressed alone
 */
export function usePainting(
  board: Board,
  open: boolean,
  several: boolean,
  paint: (ids: readonly string[], single: boolean) => void,
): Painting {
  const [first, setFirst] = useState<string | null>(null);
  const [stroke, setStroke] = useState<Stroke | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const touch = useRef<{ id: string; x: number } | null>(null);

  const marked = useMemo(
    () => new Set(stroke ? between(board, stroke.from, stroke.to) : first ? [first] : []),
    [board, stroke, first],
  );
  const start = board.rows[0]?.cells[0]?.option.id ?? null;
  const reachable = focused && board.cells.has(focused) ? focused : start;

  const cancel = useCallback(() => {
    setStroke(null);
    setFirst(null);
    touch.current = null;
  }, []);
  const tap = (id: string) => {
    setFocused(id);
    if (!open) return;
    if (!several) return paint([id], true);
    if (first === null) return setFirst(id);
    paint(between(board, first, id), false);
    setFirst(null);
  };
  const endStroke = () => {
    if (stroke) paint(between(board, stroke.from, stroke.to), stroke.from === stroke.to);
    setStroke(null);
    touch.current = null;
  };

  const painting = stroke !== null || first !== null;
  useEffect(() => {
    if (!painting) return;
    // Escape cancels wherever the focus is.
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setStroke(null);
      setFirst(null);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [painting]);

  return {
    marked,
    reachable,
    shown: pointed ?? reachable,
    begun: first !== null,
    cancel,
    handlers: {
      onPointerDown: (event) => {
        const id = optionOf(event.target);
        if (!id || event.button !== 0 || !open) return;
        setFocused(id);
        if (event.pointerType === "touch") {
          touch.current = { id, x: event.clientX };
        } else if (!several) {
          event.currentTarget.setPointerCapture(event.pointerId);
          setStroke({ from: event.shiftKey && focused ? focused : id, to: id });
        }
      },
      onPointerMove: (event) => {
        const id = optionOf(document.elementFromPoint(event.clientX, event.clientY));
        if (event.pointerType !== "touch" && !stroke) setPointed(id);
        const finger = touch.current;
        if (finger && !stroke && !several && Math.abs(event.clientX - finger.x) > TOUCH_SLACK_PX) {
          event.currentTarget.setPointerCapture(event.pointerId);
          setStroke({ from: finger.id, to: id ?? finger.id });
        } else if (stroke && id && id !== stroke.to) {
          setStroke({ ...stroke, to: id });
        }
      },
      onPointerUp: (event) => {
        if (stroke) return endStroke();
        const id = optionOf(event.target);
        const finger = touch.current;
        touch.current = null;
        if (id && (finger?.id === id || (several && event.pointerType !== "touch"))) tap(id);
      },
      onPointerCancel: cancel,
      onPointerLeave: () => setPointed(null),
      onKeyDown: (event) => {
        const id = optionOf(event.target);
        if (!id) return;
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          if (stroke) endStroke();
          else tap(id);
          return;
        }
        const next = step(board, id, event.key, event.ctrlKey);
        if (next === null) return;
        event.preventDefault();
        setFocused(next);
        setStroke(event.shiftKey && open ? { from: stroke?.from ?? id, to: next } : null);
        event.currentTarget.querySelector<HTMLElement>(`[data-option="${next}"]`)?.focus();
      },
      onClick: (event) => {
        // Pressed by a screen reader, without a pointer.
        const id = optionOf(event.target);
        if (id && event.detail === 0) tap(id);
      },
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setStroke(null);
      },
    },
  };
}

function optionOf(target: EventTarget | null): string | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-option]") : null;
  return cell?.dataset.option ?? null;
}
