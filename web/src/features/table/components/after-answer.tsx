/** Owns: who is offered notifications, and when: people who have voted or said whether they come. */
import { lazy, Suspense } from "react";
import { hasAnswered, stateOf } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";

const PushOffer = lazy(async () => ({
  default: (await import("../../push/components/push-offer.tsx")).PushOffer,
}));

export function AfterAnswer({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const state = stateOf(plan, now);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  // The host decides, and has nothing to hear of.
  if (!mine || mine.role === "host") return null;
  const answered =
    (state === "polling" && hasAnswered(plan, mine, now)) ||
    (state === "confirmed" && mine.rsvp !== "pending" && mine.rsvp !== "declined");
  return answered ? (
    <Suspense fallback={null}>
      <PushOffer me={me} decided={state === "confirmed"} />
    </Suspense>
  ) : null;
}
