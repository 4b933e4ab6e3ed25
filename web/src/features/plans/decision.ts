/**
 * Owns: the moment of a decision, for everyone who has the plan open: the menu card turns into the ticket in one
 * movement. Browsers without view transitions, and people who want less motion, see the ticket at once.
 */
import { useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { Plan } from "./schema.ts";

/** On the menu card of the best pair and on the ticket: they are one thing before and after (styles.css). */
export const CHOICE = { "data-choice": "" } as const;

const MOVING = "deciding";

/** The plan to show: for the frame in which the browser looks at the page before the change, still the earlier one. */
export function useDecisionMoment(plan: Plan): Plan {
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
    const card = document.querySelector("[data-choice]");
    root.classList.add(MOVING);
    const transition = document.startViewTransition(() => {
      flushSync(() => setShown(plan));
      // Only for people who looked at the card: it moves to where the ticket is.
      if (card) document.querySelector("[data-choice]")?.scrollIntoView({ block: "nearest" });
    });
    const done = () => root.classList.remove(MOVING);
    transition.finished.then(done, done);
  }, [plan, turning]);
  return turning ? shown : plan;
}
