/**
 * Owns: the notice "the table is ready". The plan's channel only triggers a read, as every member may send on it; the
 * notice shows what was read from the plan, which only a host can write.
 */
import { useState } from "react";
import { stateOf } from "../plans/domain.ts";
import type { Plan } from "../plans/schema.ts";

const KEY = "nosh.ready.";

/** The host who said that the table is ready, until the person dismisses it, they said it themselves, or the meal is over. */
export function useReady(plan: Plan, me: string, now: number): { by: string | null; dismiss: () => void } {
  const [dismissed, setDismissed] = useState(() => readDismissed(plan.id));
  const news =
    stateOf(plan, now) === "confirmed" &&
    plan.ready_at !== null &&
    plan.ready_by !== me &&
    plan.ready_at !== dismissed;
  return {
    by: news ? plan.ready_by : null,
    dismiss: () => {
      setDismissed(plan.ready_at);
      keepDismissed(plan.id, plan.ready_at);
    },
  };
}

/** A dismissed notice stays dismissed after a reload. */
function readDismissed(plan: string): string | null {
  try {
    return sessionStorage.getItem(KEY + plan);
  } catch {
    return null;
  }
}

function keepDismissed(plan: string, at: string | null): void {
  try {
    if (at !== null) sessionStorage.setItem(KEY + plan, at);
  } catch {
    // Without storage the notice is shown again.
  }
}
