/** Owns: casting votes through the outbox, and the plan as this person sees it: the server's, and what waits here. */
import { useMemo } from "react";
import type { Ballot } from "../plans/mutations.ts";
import type { Plan } from "../plans/schema.ts";
import { outbox, useIsStuck, useOutbox } from "./device.ts";
import { waiting } from "./outbox.ts";
import { withEntries } from "./plan-with-queue.ts";

export interface Cast {
  times?: Ballot;
  places?: Ballot;
}

/** Casts votes on a plan. They show through `useWithQueue` at once; a refusal is shown by the outbox's notice. */
export function useVote(plan: Plan) {
  const heldUp = useIsStuck();
  const votes = useOutbox(plan.id).filter((entry) => entry.mutation.kind === "votes");
  const cast = async ({ times = {}, places = {} }: Cast): Promise<void> => {
    // A new answer is a new try: an earlier refusal is no longer shown.
    const refused = votes.filter((entry) => !waiting(entry));
    await outbox.add({ kind: "votes", plan_id: plan.id, times, places }, crypto.randomUUID());
    for (const { id } of refused) await outbox.drop(id);
  };
  return {
    mutate: (votes: Cast) => void cast(votes).catch(() => undefined),
    /** Whether answers wait on this device for a connection. */
    waiting: heldUp && votes.some(waiting),
  };
}

/** The plan with this person's votes and RSVP that wait in the outbox. */
export function useWithQueue(plan: Plan, me: string): Plan {
  const entries = useOutbox(plan.id);
  return useMemo(() => withEntries(plan, entries, me), [entries, plan, me]);
}
