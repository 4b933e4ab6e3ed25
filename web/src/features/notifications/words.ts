/** Owns: the words of the activity list, in English. */
import type { NotificationKind } from "../../../../supabase/functions/_shared/notification_kinds.ts";
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const notificationWords = defineWords("notifications", {
  title: "Activity",
  loading: "your activity",
  empty: "No activity yet",
  emptyText: "You'll see here when a plan is confirmed, changes or needs your vote.",
  fresh: (count: number) => plural(count, { one: "# new", other: "# new" }),
  unread: "new",
  readAll: "Mark all read",
  someone: "Someone",
  gone: "a deleted plan",
  /** For a plan that was confirmed because nobody objected to the proposal. */
  confirmedItself: (plan: string) => `${plan} is confirmed. Nobody objected.`,
  /** One sentence for each kind, with the person and the plan. */
  moved: (was: string, is: string) => `Was ${was}. Now ${is}.`,
  kinds: {
    plan_invited: (who: string, plan: string) => `${who} added you to ${plan}.`,
    plan_confirmed: (who: string, plan: string) => `${who} confirmed ${plan}.`,
    plan_reopened: (who: string, plan: string) => `${who} reopened voting for ${plan}. Please vote again.`,
    plan_cancelled: (who: string, plan: string) => `${who} cancelled ${plan}.`,
    plan_restored: (who: string, plan: string) => `${who} restored ${plan}.`,
    seat_freed: (_who: string, plan: string) => `A seat is free: you're in for ${plan}.`,
    person_joined: (who: string, plan: string) => `${who} joined ${plan}.`,
    vote_reminder: (_who: string, plan: string) => `Voting for ${plan} closes soon. You haven't voted yet.`,
    plan_tomorrow: (_who: string, plan: string) => `${plan} is coming up.`,
    plan_changed: (who: string, plan: string) => `${who} changed the name or note of ${plan}.`,
    plan_moved: (who: string, plan: string) =>
      `${who} changed the time or place of ${plan}. Are you still coming?`,
    plan_placed: (who: string, plan: string) => `${who} chose the place for ${plan}.`,
    vote_nudge: (who: string, plan: string) => `${who} is waiting for your vote on ${plan}.`,
    plan_proposed: (_who: string, plan: string) =>
      `There's a proposal for ${plan}. We'll confirm it unless someone objects.`,
    plan_vetoed: (who: string, plan: string) => `${who} objected to the proposal for ${plan}.`,
    plan_undecided: (_who: string, plan: string) => `We couldn't decide ${plan} for you. Please choose.`,
    standing_planned: (_who: string, plan: string) => `The next ${plan} is set up. Can you make it?`,
    everybody_answered: (_who: string, plan: string) => `Everyone has answered for ${plan}.`,
    join_asked: (_who: string, plan: string) => `Someone is asking for a seat at ${plan}.`,
    seat_asked: (_who: string, plan: string) =>
      `Another device is asking for your seat at ${plan}. Is that you?`,
    // The old device no longer reads the plan's name.
    seat_moved: () => "Your seat at a plan moved to another device.",
    not_coming: (who: string, plan: string) => `${who} isn't coming to ${plan}.`,
    rate_reminder: (_who: string, plan: string) => `How was ${plan}? Your rating helps with the next one.`,
  } satisfies Record<NotificationKind, (who: string, plan: string) => string>,
});

export type NotificationWords = ReturnType<typeof notificationWords>;
