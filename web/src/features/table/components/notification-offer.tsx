/** Owns: offering notifications to people who have voted or said whether they come. */
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { hasAnswered, stateOf } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";

const PushOffer = lazyOptional(async () => (await import("../../push/components/push-offer.tsx")).PushOffer);

export function NotificationOffer({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const state = stateOf(plan, now);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  // The host makes the decisions and gets no notification of them.
  if (!mine || mine.role === "host") return null;
  const answered =
    (state === "polling" && hasAnswered(plan, mine, now)) ||
    (state === "confirmed" && mine.rsvp !== "pending" && mine.rsvp !== "declined");
  return answered ? <PushOffer me={me} decided={state === "confirmed"} /> : null;
}
