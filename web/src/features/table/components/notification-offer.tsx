/** Owns: offering notifications, and to guests mails, to people who have voted or said whether they come. */
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { stateOf, stateOfMember } from "../../plans/domain.ts";
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
  const my = stateOfMember(plan, mine, now);
  if ((state !== "polling" && state !== "confirmed") || my === "asked" || my === "not_coming") return null;
  return (
    <>
      <PushOffer me={me} decided={state === "confirmed"} />
      {guest ? <MailOffer plan={plan.id} /> : null}
    </>
  );
}
