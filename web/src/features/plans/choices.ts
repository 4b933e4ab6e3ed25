/** Owns: deciding a plan, changing the decision, and which decision of this page can still be undone. */
import { rpc } from "../../lib/backend/rpc.ts";
import { createStore } from "../../lib/store.ts";
import type { Plan } from "./schema.ts";

/** As `undo_seconds` in private.limits. Counted from before the request, so that the offer ends before the server's time. */
const UNDO_MS = 10_000;

/** The plan whose decision can be undone. */
const offered = createStore<string | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Makes a decision of a plan, and offers to undo it for the rest of its ten seconds. */
async function offeringUndo(plan: string, decide: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await decide();
  clearTimeout(timer);
  offered.set(plan);
  timer = setTimeout(offered.set, UNDO_MS - (performance.now() - began), null);
}

/** Ends the offer once it was taken. */
export function endUndo(): void {
  clearTimeout(timer);
  offered.set(null);
}

/** Whether a decision of this plan can be undone. */
export function useUndo(plan: string): boolean {
  return offered.useValue() === plan;
}

/**
 * @param place null decides the time alone
 * @param unsafeFor people the place is not known to be safe for; the database rejects a choice that omits one
 */
export const confirmPlan = (plan: string, time: string, place: string | null, unsafeFor: string[]) =>
  offeringUndo(plan, () =>
    rpc("confirm_plan", {
      plan,
      time_option: time,
      ...(place ? { place_option: place } : {}),
      unsafe_for: unsafeFor,
    }),
  );

/** The time of a decided plan, and its place or null while that is to be decided, by the ids of the options. */
export interface Choice {
  time: string;
  place: string | null;
}

/** Whether a plan has been decided so. */
export const hasChosen =
  ({ time, place }: Choice) =>
  ({ status, chosen_time_id, chosen_place_id }: Plan): boolean =>
    status === "confirmed" && chosen_time_id === time && chosen_place_id === place;

/**
 * Gives a confirmed plan another time or place. A place for a time that was decided alone keeps people's answers.
 * Doing it twice changes nothing.
 * @param was the choice that the host saw; the database refuses when another host changed it meanwhile
 * @param unsafeFor as for `confirmPlan`
 */
export const changeChoice = (plan: string, was: Choice, wanted: Choice, unsafeFor: string[]) =>
  offeringUndo(plan, () =>
    rpc("change_choice", {
      plan,
      was_time: was.time,
      time_option: wanted.time,
      ...(was.place ? { was_place: was.place } : {}),
      ...(wanted.place ? { place_option: wanted.place } : {}),
      unsafe_for: unsafeFor,
    }),
  );

/** Takes back the last decision, within ten seconds of it; nobody is told. */
export const undoDecision = (plan: string) => rpc("undo_decision", { plan });
