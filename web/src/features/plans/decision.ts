/**
 * Owns: the view transition of a decision, for everyone who has the plan open: the menu card turns into the ticket.
 * Browsers without view transitions, and people who prefer reduced motion, see the ticket at once.
 */
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Plan } from "./schema.ts";

/** Marks the menu card of the best pair and the ticket as the same element of the view transition (styles.css). */
export const choiceMark = { "data-choice": "" } as const;

const MOVING = "deciding";

/** The plan to show: the earlier state until the browser has captured the page for the transition. */
export function useDecisionTransition(plan: Plan): Plan {
  const [shown, setShown] = useState(plan);
  const turning =
    shown.id === plan.id &&
    shown.status === "polling" &&
    plan.status === "confirmed" &&
    typeof document.startViewTransition === "function" &&
    !matchMedia("(prefers-reduced-motion: reduce)").matches;
  // Taken over before anything is drawn: an effect would draw the page twice at each change.
  if (shown !== plan && !turning) setShown(plan);
  useLayoutEffect(() => {
    if (!turning) return;
    const root = document.documentElement;
    root.classList.add(MOVING);
    const transition = document.startViewTransition(() => flushSync(() => setShown(plan)));
    const done = () => root.classList.remove(MOVING);
    transition.finished.then(done, done);
  }, [plan, turning]);
  const { id, status } = turning ? shown : plan;
  const before = useRef({ id, status });
  useLayoutEffect(() => {
    // A decision is seen from wherever the person has scrolled to.
    if (status === "confirmed" && before.current.id === id && before.current.status === "polling")
      document.querySelector("[data-choice]")?.scrollIntoView({ block: "nearest" });
    before.current = { id, status };
  }, [id, status]);
  return turning ? shown : plan;
}
