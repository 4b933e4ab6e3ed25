/** Owns: which sentences a mail of each kind has, and where its button leads. The sentences are in mail_words_*.ts. */
import type { CalendarEvent } from "../calendar/ics.ts";
import type { MailedKind } from "../notification_kinds.ts";
import type { UndecidedReason } from "../ranking/undecided.ts";
import { type Question, tabOf } from "../table/steps.ts";
import type { MailWords } from "./mail_words_en.ts";

/** An element of `take_mail`. */
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
  /** The first name of the person who did what the mail tells. */
  sender: string | null;
  /** The people at the table who have not declined, and those of them who have joined. */
  people: number;
  joined: number;
  /** The reader's open question, of a mail that asks to vote. */
  question: Question | null;
  /** Whether the reader made this decision. */
  own: boolean;
  /** Whether the reader is a host. */
  hosts: boolean;
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

/** @param when "Friday 27 November at 19:30"; nothing of no instant */
export function letterOf(
  mail: WaitingMail,
  words: MailWords,
  when: (instant: string | null) => string,
): Letter {
  const plan = `/plans/${mail.plan_id}`;
  const name = mail.sender ?? words.someone;
  const asks = words.ask[mail.question ?? "times"];
  const pair = joined(when(mail.starts_at), mail.place);
  // "Friday 27 November at 19:30, Momo Sete, Rua do Poço 7."
  const choice = () => `${joined(pair, mail.address_of_place)}.${mail.place ? "" : ` ${words.placeOpen}`}`;
  /** A letter about the plan itself, which leads to it. */
  const about = (subject: string, lines: string[], more: Partial<Letter> = {}): Letter => ({
    subject,
    heading: mail.title,
    lines,
    button: words.view,
    leadsTo: plan,
    ...more,
  });
  switch (mail.kind) {
    case "invite": {
      const { subject, wants, joined: count, how, button } = words.invite;
      return about(subject(name, mail.title), [`${wants(name)} ${count(mail.joined)}`, how], {
        button,
        leadsTo: `/join/${mail.secret ?? ""}`,
      });
    }
    case "vote_reminder": {
      const closes = words.reminder.closes(mail.title, when(mail.vote_deadline));
      return about(words.reminder.subject(mail.title), [`${closes} ${asks.missing}`], toVote());
    }
    case "vote_nudge": {
      const closes = mail.vote_deadline ? [words.nudge.closes(when(mail.vote_deadline))] : [];
      const lines = [[words.nudge.waits(name, mail.title), asks.missing, ...closes].join(" ")];
      return about(`${asks.heading} ${mail.title}`, lines, toVote());
    }
    case "plan_tomorrow":
      return about(words.soon.subject(mail.title), [choice(), words.soon.sayNow]);
    case "rate_reminder":
      return about(
        words.rate.subject(mail.place ?? mail.title),
        [`${when(mail.starts_at)}.`, words.rate.why(mail.title)],
        { heading: words.rate.heading, button: words.rate.button, leadsTo: `${plan}?tab=day` },
      );
    case "plan_confirmed":
      return about(
        words.confirmed.subject(mail.title, when(mail.starts_at)),
        [choice(), words.confirmed.attached, ...coming("asked")],
        answerable(),
      );
    case "plan_reopened":
      return about(words.reopened.subject(mail.title), [words.reopened.open], {
        button: words.reopened.button,
        leadsTo: `${plan}?tab=when`,
      });
    case "plan_cancelled": {
      const { sender, own } = mail;
      const by = () => (sender ? words.cancelled.by(sender) : words.cancelled.unknown);
      return about(words.cancelled.subject(mail.title), [
        own ? words.cancelled.own : by(),
        ...(mail.starts_at ? [words.cancelled.was(when(mail.starts_at))] : []),
      ]);
    }
    case "plan_restored":
      return about(words.restored.subject(mail.title), [
        mail.starts_at ? words.restored.on(choice()) : words.bothOpen,
      ]);
    case "plan_changed": {
      const { subject, what, note } = words.changed;
      const lines = [what, choice(), ...(mail.event?.note ? [note(mail.event.note)] : []), words.attached];
      return about(subject(mail.title), lines);
    }
    case "plan_moved": {
      const before = mail.was_starts_at
        ? words.moved.was(joined(when(mail.was_starts_at), mail.was_place))
        : words.moved.changed;
      return about(
        words.moved.subject(mail.title, pair),
        [`${before} ${words.moved.now(choice())}`, ...coming("stillSuits"), words.attached],
        answerable(),
      );
    }
    case "plan_placed":
      return about(words.placed.subject(mail.place ?? "", mail.title), [
        words.placed.decided(choice()),
        words.placed.sameTime,
      ]);
    case "plan_proposed":
      return about(
        words.proposed.subject(mail.title, when(mail.starts_at)),
        [choice(), words.proposed.until(when(mail.veto_until))],
        { button: words.proposed.button },
      );
    case "plan_vetoed": {
      const host = () => (mail.host ? words.vetoed.decides(mail.host) : words.vetoed.hostDecides);
      return about(
        words.vetoed.subject(mail.title),
        [
          words.vetoed.by(mail.vetoed_by ?? words.someone, mail.veto_reason),
          mail.hosts ? words.vetoed.youDecide : host(),
        ],
        { leadsTo: `${plan}?tab=best` },
      );
    }
    case "plan_undecided": {
      const { subject, failed, reasons, choose, button } = words.undecided;
      const reason = mail.undecided ? ` ${reasons[mail.undecided]}` : "";
      return about(subject(mail.title), [`${failed}${reason}`, choose], {
        button,
        leadsTo: `${plan}?tab=best`,
      });
    }
    case "confirm_address": {
      const { subject, heading, wants, ifNot, button } = words.address;
      return about(subject(mail.title), [wants(mail.sender ?? words.someone, mail.title), ifNot], {
        heading,
        button,
        leadsTo: `/mail/confirm/${mail.secret ?? ""}`,
      });
    }
    case "everybody_answered":
      return about(words.everybody.subject(mail.title), [words.everybody.voted(mail.people)], {
        button: words.everybody.button,
        leadsTo: `${plan}?tab=best`,
      });
    case "join_asked": {
      const asker = mail.sender ?? words.someone;
      const { subject, heading, asks: text, button } = words.request;
      return about(subject(asker, mail.title), [text(asker, mail.title)], {
        heading: heading(asker),
        button,
        leadsTo: `${plan}#asking`,
      });
    }
  }

  function toVote(): Partial<Letter> {
    const { heading, button } = asks;
    return { heading, button, leadsTo: `${plan}?tab=${tabOf[mail.question ?? "times"]}` };
  }

  /** Whether the reader comes, as far as it is known; the host who decided is not told. */
  function coming(question: "asked" | "stillSuits"): string[] {
    return mail.own ? [] : [words.coming[comingOf(mail.event) ?? question]];
  }

  function answerable(): Partial<Letter> {
    return mail.own ? {} : { button: words.sayWhether };
  }
}

function comingOf(event: CalendarEvent | null): "expected" | "waitlisted" | "notComing" | undefined {
  switch (event?.state) {
    case "expected":
    case "on_the_way":
    case "here":
      return "expected";
    case "waitlisted":
      return "waitlisted";
    case "not_coming":
      return "notComing";
    default:
      return undefined;
  }
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part).join(", ");
}
