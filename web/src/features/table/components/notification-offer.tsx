/** Owns: offering notifications, and to guests mails, to people who have voted or said whether they come. */
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { stateOf } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";

const PushOffer = lazyOptional(async () => (await import("../../push/components/push-offer.tsx")).PushOffer);
const MailOffer = lazyOptional(async () => (await import("../../mail/components/mail-offer.tsx")).MailOffer);

/** @param guest whether the person has no account. An account is told at its own address. */
export function NotificationOffer({
  plan,
  me,
  now,
  guest,
}: {
  plan: Plan;
  me: string;
  now: number;
  guest: boolean;
}) {
  const state = stateOf(plan, now);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  // The host makes the decisions and gets no notification of them.
  if (!mine || mine.role === "host") return null;
  const answered =
    (state === "polling" && (mine.answered_at !== null || votedNow(plan, me))) ||
    (state === "confirmed" && mine.rsvp !== "pending" && mine.rsvp !== "declined");
  if (!answered) return null;
  return (
    <>
      <PushOffer me={me} decided={state === "confirmed"} />
      {guest ? <MailOffer plan={plan.id} /> : null}
    </>
  );
}

/** Whether a vote is shown that the server may not have yet. */
function votedNow(plan: Plan, me: string): boolean {
  return plan.time_options.some((option) => option.time_votes.some(({ user_id }) => user_id === me));
}
