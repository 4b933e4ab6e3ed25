/** Owns: objecting to a proposal through the outbox, also without a connection. */
import { useEffect } from "react";
import { useAnnounce } from "../../ui/announcer.tsx";
import { onOutcome, useIsStuck, useOutbox } from "../outbox/device.ts";
import { enqueue } from "../outbox/mutations.ts";
import { waiting } from "../outbox/outbox.ts";
import type { Plan } from "../plans/schema.ts";
import { decidingWords } from "./words.ts";

/** The objection of this person to the plan's proposal. A refusal is shown by the outbox's notice. */
export function useVeto(plan: Plan) {
  const announce = useAnnounce();
  const stuck = useIsStuck();
  const entries = useOutbox(plan.id).filter((entry) => entry.mutation.kind === "veto");
  const queued = entries.some(waiting);
  useEffect(
    () =>
      onOutcome(({ mutation }, outcome) => {
        if (mutation.plan_id === plan.id && mutation.kind === "veto" && !("refused" in outcome))
          announce(decidingWords().veto.done);
      }),
    [plan.id, announce],
  );
  return {
    object: (reason: string) => {
      if (plan.veto_until === null) return;
      enqueue({ kind: "veto", plan_id: plan.id, reason, until: plan.veto_until });
    },
    /** Whether it is on its way. */
    sending: queued && !stuck,
    /** Whether it waits on this device for a connection. */
    waiting: queued && stuck,
  };
}
