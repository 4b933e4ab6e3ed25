/**
 * Owns: the kinds of notifications, and where each is told besides the activity list. The texts of the list, of mails and
 * of push messages are typed by it, so that a new kind without its text does not compile.
 */
interface Kinds {
  plan_invited: never;
  plan_confirmed: "mail" | "push";
  plan_reopened: "mail" | "push";
  plan_cancelled: "mail" | "push";
  plan_restored: "mail" | "push";
  seat_freed: "push";
  person_joined: never;
  vote_reminder: "mail" | "push";
  plan_tomorrow: "mail" | "push";
  rate_reminder: "mail";
  plan_changed: "mail" | "push";
  plan_moved: "mail" | "push";
  plan_placed: "mail" | "push";
  vote_nudge: "mail" | "push";
  plan_proposed: "mail" | "push";
  plan_vetoed: "mail" | "push";
  plan_undecided: "mail" | "push";
  standing_planned: "push";
  everybody_answered: "mail" | "push";
  join_asked: "mail" | "push";
  seat_asked: never;
  seat_moved: never;
  not_coming: "push";
}

export type NotificationKind = keyof Kinds;
type ToldBy<Channel> = {
  [Kind in NotificationKind]: Channel extends Kinds[Kind] ? Kind : never;
}[NotificationKind];
export type MailedKind = ToldBy<"mail">;
export type PushedKind = ToldBy<"push">;
