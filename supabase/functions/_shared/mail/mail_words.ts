/** Owns: the data of a pending mail, and the type of its words, which are in mail_words_en.ts and mail_words_de.ts. */
import type { CalendarEvent } from "../calendar/ics.ts";
import type { MailedKind } from "../notification_kinds.ts";
import type { UndecidedReason, UndecidedWords } from "../ranking/undecided.ts";
import { type Question, tabOf } from "../table/steps.ts";

export interface WaitingMail {
  id: string;
  address: string;
  kind: MailedKind | "invite" | "confirm_address";
  language: "en" | "de";
  /** The token of an invite, or of the confirmation of an address. */
  secret: string | null;
  /** The token for unsubscribing. */
  unsubscribe: string;
  plan_id: string;
  title: string;
  time_zone: string;
  vote_deadline: string | null;
  /** The end of the time to object to a proposal. */
  veto_until: string | null;
  veto_reason: string;
  vetoed_by: string | null;
  /** Why the plan did not decide itself. */
  undecided: UndecidedReason | null;
  starts_at: string | null;
  /** Of the times that are voted on. */
  first_starts_at: string | null;
  last_starts_at: string | null;
  place: string | null;
  address_of_place: string | null;
  /** The time and place before the hosts changed them; null if they did not. */
  was_starts_at: string | null;
  was_place: string | null;
  host: string | null;
  sender: string | null;
  people: number;
  /** The reader's open question, of a mail that asks to vote; null once they have answered. */
  question: Question | null;
  /** Whether the reader is the host who made this decision. */
  own: boolean;
  /** The calendar entry of a plan with a time. */
  event: CalendarEvent | null;
}

export interface Letter {
  subject: string;
  heading: string;
  lines: string[];
  button: string;
  /** Path within the app. */
  leadsTo: string;
}

export interface MailWords {
  letter: Record<
    WaitingMail["kind"],
    (mail: WaitingMail, when: (instant: string | null) => string) => Letter
  >;
  /** When the plan is, or the days that are voted on, for letters that do not say so themselves. */
  fixed: (time: string) => string;
  open: (first: string, last: string) => string;
  /** The reason for the mail, and the text of the link to the mail settings. */
  why: string;
  stop: string;
  /** Why a plan did not decide itself. */
  undecided: UndecidedWords;
}

/**
 * "Friday 27 November at 19:30, Momo Sete, Rua do Poço 7."
 * @param open the sentence for a place that is to be decided
 */
export function choiceOf(mail: WaitingMail, when: (instant: string | null) => string, open: string): string {
  const what = [when(mail.starts_at), mail.place, mail.address_of_place].filter((part) => part).join(", ");
  return mail.place ? `${what}.` : `${what}. ${open}`;
}

/** Where the reader answers the question that is open for them. */
export function voteOf({ plan_id, question }: WaitingMail): string {
  return `/plans/${plan_id}?tab=${tabOf[question ?? "times"]}`;
}
