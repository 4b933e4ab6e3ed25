/** Owns: the words for what happened, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const notificationWords = defineWords("notifications", {
  title: "What happened",
  loading: "what happened",
  empty: "Nothing has happened yet",
  emptyText: "When a plan is set, moved or waits for you, it says so here.",
  fresh: (count: number) => plural(count, { one: "# new", other: "# new" }),
  unread: "new",
  readAll: "All seen",
  someone: "Someone",
  gone: "A plan that is gone",
  /** One sentence for each kind: who did it, to which plan. */
  kinds: {
    plan_invited: (who: string, plan: string) => `${who} put you on the table for ${plan}.`,
    plan_confirmed: (who: string, plan: string) => `${who} set time and place for ${plan}.`,
    plan_reopened: (who: string, plan: string) => `${who} opened ${plan} again. Your answer is asked anew.`,
    plan_cancelled: (who: string, plan: string) => `${who} cancelled ${plan}.`,
    plan_restored: (who: string, plan: string) => `${who} brought ${plan} back.`,
    seat_freed: (_who: string, plan: string) => `A seat came free: you are in for ${plan}.`,
    person_joined: (who: string, plan: string) => `${who} took a seat at ${plan}.`,
    vote_reminder: (_who: string, plan: string) =>
      `Voting on ${plan} closes soon, and your answer is missing.`,
    plan_tomorrow: (_who: string, plan: string) => `${plan} is less than a day away.`,
    rate_reminder: (_who: string, plan: string) => `How was ${plan}? A few stars help the next one.`,
  },
});

export type NotificationWords = ReturnType<typeof notificationWords>;
