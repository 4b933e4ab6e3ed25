/**
 * Owns: offering notifications, and to guests mails and their other device, to people who have voted or said whether they
 * come; and a place on the home screen once it is decided.
 */
import type { ReactNode } from "react";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { stateOf, stateOfMember } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";

const PushOffer = lazyOptional(async () => (await import("../../push/components/push-offer.tsx")).PushOffer);
const MailOffer = lazyOptional(async () => (await import("../../mail/components/mail-offer.tsx")).MailOffer);
const InstallOffer = lazyOptional(
  async () => (await import("../../push/components/install-offer.tsx")).InstallOffer,
);

/**
 * @param guest whether the person has no account. An account is told at its own address.
 * @param otherDevice how a guest opens the plan on another device
 */
export function NotificationOffer({
  plan,
  me,
  now,
  guest,
  otherDevice,
}: {
  plan: Plan;
  me: string;
  now: number;
  guest: boolean;
  otherDevice: ReactNode;
}) {
  const state = stateOf(plan, now);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  if (!mine || (state !== "polling" && state !== "confirmed")) return null;
  const my = stateOfMember(plan, mine, now);
  if (my === "not_coming") return null;
  // The host makes the decisions and gets no notification of them.
  const told = mine.role !== "host" && my !== "asked";
  return (
    <>
      {told ? <PushOffer me={me} decided={state === "confirmed"} /> : null}
      {told && guest ? <MailOffer plan={plan.id} /> : null}
      {told && guest ? otherDevice : null}
      {state === "confirmed" ? <InstallOffer /> : null}
    </>
  );
}
