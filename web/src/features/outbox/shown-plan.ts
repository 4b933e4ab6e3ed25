/** Owns: the plan as this person sees it: the server's, with the changes that wait in the outbox. */
import { replaceEqualDeep } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Plan } from "../plans/schema.ts";
import { useIsStuck, useOutbox } from "./device.ts";
import { waiting } from "./outbox.ts";
import { withEntries } from "./plan-with-queue.ts";

/** Whether answers to a plan wait on this device for a connection. */
export function useVotesWait(plan: string): boolean {
  const stuck = useIsStuck();
  const votes = useOutbox(plan).some((entry) => entry.mutation.kind === "votes" && waiting(entry));
  return stuck && votes;
}

/**
 * The plan with this person's votes, RSVP and arrival that wait in the outbox. Equal parts stay the same objects, so that
 * the steps of a vote (stored, sent, confirmed, read again), which mean the same plan, draw nothing.
 */
export function useWithQueue(plan: Plan, me: string): Plan {
  const entries = useOutbox(plan.id);
  const [shown] = useState({ plan });
  return useMemo(() => {
    shown.plan = replaceEqualDeep(shown.plan, withEntries(plan, entries, me));
    return shown.plan;
  }, [entries, plan, me, shown]);
}
