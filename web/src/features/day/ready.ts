/**
 * Owns: "the table is ready", as the plan says it. That it is told at once is up to the channel, which anybody at
 * the table may speak on; what is shown is only what was read, which a host alone can have written.
 */
import { useState } from "react";
import type { Plan } from "../plans/schema.ts";

const KEY = "nosh.ready.";

/** Which host said that the table is ready, until one has put that away. What one said oneself is no news. */
export function useReady(plan: Plan, me: string): { by: string | null; dismiss: () => void } {
  const [dismissed, setDismissed] = useState(() => readDismissed(plan.id));
  const news =
    plan.status === "confirmed" &&
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

/** What was put away stays so when the page is loaded anew. */
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
    // A browser that keeps nothing says it again.
  }
}
