/** Owns: tending the outbox for who is signed in, and saying what waits in it and what became of it. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useOnline } from "../../../lib/device/online.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { type Conversation, withStored } from "../../messages/domain.ts";
import { withVotes } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { type Outcome, onOutcome, outbox, useIsStuck, useOutbox } from "../device.ts";
import { waiting } from "../outbox.ts";
import { withAnswer, withVeto } from "../plan-with-queue.ts";
import type { QueuedMutation } from "../schema.ts";
import { outboxWords } from "../words.ts";

/** One for each signed-in screen. Refused messages are not here: they stand where they were said. */
export function OutboxNotice({ me }: { me: string }) {
  const words = outboxWords();
  const stuck = useIsStuck();
  // Without a connection the frame's notice says it.
  const heldUp = useOnline() && stuck;
  const entries = useOutbox();
  useTending(me, entries.filter(waiting).length);
  const held = entries.filter((entry) => waiting(entry) && heldUp).length;
  const refused = entries.filter((entry) => entry.refused && entry.mutation.kind !== "message");
  if (held === 0 && refused.length === 0) return null;
  return (
    <section aria-label={words.label} className="sticky top-2 z-20 mb-4 flex flex-col gap-2">
      {held > 0 ? <p className="paper px-4 py-2 text-sm text-ink-soft">{words.waiting(held)}</p> : null}
      {refused.map(({ id, mutation, refused: why }) => (
        <div key={id} role="alert" className="paper flex flex-col gap-1 border-l-4 border-l-action px-4 py-3">
          <p>
            {words.refused(words.kinds[mutation.kind], why?.message ?? "")}{" "}
            <span className="text-ink-soft">{why?.hint}</span>
          </p>
          <div className="-ml-2 flex flex-wrap gap-1">
            <Button look="plain" onPress={() => void outbox.retry(id)}>
              {words.retry}
            </Button>
            <Button look="plain" onPress={() => void outbox.drop(id)}>
              {words.drop}
            </Button>
          </div>
        </div>
      ))}
    </section>
  );
}

/** The plan as the server now has it, as far as this outcome tells. */
function withOutcome(plan: Plan, person: string, mutation: QueuedMutation, outcome: Outcome): Plan {
  if (mutation.kind === "votes" && "votes" in outcome) {
    return withVotes(plan, person, mutation.times, mutation.places);
  }
  if (mutation.kind === "rsvp" && "rsvp" in outcome) {
    return withAnswer(plan, person, outcome.rsvp, mutation.plus_ones);
  }
  if (mutation.kind === "veto" && "veto" in outcome) return withVeto(plan, person, mutation.reason);
  return plan;
}

/** Gives the outbox its person, and lets what is shown follow what became of each entry. */
function useTending(me: string, count: number): void {
  const queries = useQueryClient();
  const announce = useAnnounce();
  useEffect(() => {
    // A device that cannot be read has nothing that waits.
    outbox.belongTo(me).catch(() => undefined);
    return () => void outbox.belongTo(null).catch(() => undefined);
  }, [me]);
  useEffect(
    () =>
      onOutcome(async ({ id, mutation, person }, outcome) => {
        if (mutation.kind === "message") {
          const row = "message" in outcome ? outcome.message : null;
          queries.setQueryData<Conversation>(["messages", mutation.plan_id], (now) =>
            now && row ? withStored(now, row).after : now,
          );
          return;
        }
        const queryKey = ["plan", mutation.plan_id];
        // A read that began before the change would take it off the screen again.
        await queries.cancelQueries({ queryKey, exact: true });
        queries.setQueryData<Plan | null>(
          queryKey,
          (now) => now && withOutcome(now, person, mutation, outcome),
        );
        const more = outbox
          .snapshot()
          .some((entry) => entry.id !== id && waiting(entry) && entry.mutation.plan_id === mutation.plan_id);
        if (more) return; // After the last one the plan is read once.
        void queries.invalidateQueries({ queryKey, exact: true });
        void queries.invalidateQueries({ queryKey: ["plans"] });
      }),
    [queries],
  );
  const waited = useRef(false);
  const online = useOnline();
  useEffect(() => {
    if (!online && count > 0) waited.current = true;
    if (waited.current && count === 0) {
      waited.current = false;
      announce(outboxWords().sent);
    }
  }, [online, count, announce]);
}
