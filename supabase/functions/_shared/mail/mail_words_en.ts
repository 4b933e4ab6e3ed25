/** Owns: the words of Nosh's own mails, in English. */
import { undecidedInEnglish } from "../ranking/undecided_words_en.ts";
import { choiceOf, type MailWords, voteOf, type WaitingMail } from "./mail_words.ts";

const PLACE_OPEN = "The place is still to be decided.";

/** What a mail that asks to vote asks for. */
const ASK = {
  times: {
    heading: "When can you make it?",
    missing: "You haven't answered the times yet.",
    button: "Vote now",
  },
  places: {
    heading: "Where would you like to eat?",
    missing: "You haven't answered the places yet.",
    button: "Vote now",
  },
  answered: {
    heading: "Voting is still open.",
    missing: "You've answered, and can still change your answers.",
    button: "View plan",
  },
} as const;
const ask = ({ question }: WaitingMail) => ASK[question ?? "answered"];

/** What is known of whether the reader comes, and what to do if that is wrong. */
function coming({ event }: WaitingMail): string {
  switch (event?.state) {
    case "expected":
      return "You said yes, so you're expected. Say so if you can't make it.";
    case "waitlisted":
      return "The table is full. You're on the waitlist and get a seat as soon as one is free.";
    case "not_coming":
      return "You said that you can't make it. Say so if you can.";
    default:
      return "Are you coming?";
  }
}

export const english: MailWords = {
  letter: {
    invite: (mail) => ({
      subject: `${mail.sender ?? mail.host ?? "Someone"} invited you: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.sender ?? mail.host ?? "Someone"} would like to eat with you. ${mail.people === 1 ? "1 person has" : `${mail.people} people have`} joined so far.`,
        "Say when you can make it and where you'd like to go. A name is enough, no account needed.",
      ],
      button: "Join the plan",
      leadsTo: `/join/${mail.secret ?? ""}`,
    }),
    vote_reminder: (mail, when) => ({
      subject: `Don't forget to vote: ${mail.title}`,
      ...ask(mail),
      lines: [`Voting on “${mail.title}” closes ${when(mail.vote_deadline)}. ${ask(mail).missing}`],
      leadsTo: voteOf(mail),
    }),
    plan_tomorrow: (mail, when) => ({
      subject: `Soon: ${mail.title}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        "If you can't make it after all, say so now. Someone else may be glad of the seat.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    rate_reminder: (mail, when) => ({
      subject: `How was ${mail.place ?? mail.title}?`,
      heading: `How was it?`,
      lines: [`${when(mail.starts_at)}.`, `Rate “${mail.title}” to help us suggest the next place.`],
      button: "Rate this plan",
      leadsTo: `/plans/${mail.plan_id}?tab=day`,
    }),
    plan_confirmed: (mail, when) => ({
      subject: `It's on: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        "The attached file adds it to your calendar, or updates the existing entry.",
        ...(mail.own ? [] : [coming(mail)]),
      ],
      button: mail.own ? "View plan" : "Say whether you're coming",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_reopened: (mail) => ({
      subject: `Open again: ${mail.title}`,
      heading: mail.title,
      lines: ["Voting on the time and place is open again. We'll email you once they are decided."],
      button: "Go to the votes",
      leadsTo: `/plans/${mail.plan_id}?tab=when`,
    }),
    plan_cancelled: (mail, when) => ({
      subject: `Cancelled: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.own ? "You cancelled this plan." : `${mail.host ?? "The host"} cancelled this plan.`,
        ...(mail.starts_at ? [`It was planned for ${when(mail.starts_at)}.`] : []),
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_restored: (mail, when) => ({
      subject: `On again: ${mail.title}`,
      heading: mail.title,
      lines: [
        mail.event
          ? `The plan is on again: ${choiceOf(mail, when, PLACE_OPEN)}`
          : "The plan is on again. When and where are still open.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_changed: (mail, when) => ({
      subject: `Changed: ${mail.title}`,
      heading: mail.title,
      lines: [
        "The host changed the name or the note. The rest stays the same:",
        choiceOf(mail, when, PLACE_OPEN),
        ...(mail.event?.note ? [`Note: ${mail.event.note}`] : []),
        "The attached file updates the entry in your calendar.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_moved: (mail, when) => ({
      subject: `Changed: ${mail.title}, now ${[when(mail.starts_at), mail.place].filter(Boolean).join(", ")}`,
      heading: mail.title,
      lines: [
        `${mail.was_starts_at ? `It was ${[when(mail.was_starts_at), mail.was_place].filter(Boolean).join(", ")}.` : "The plan has changed."} It's now ${choiceOf(mail, when, PLACE_OPEN)}`,
        ...(mail.own ? [] : ["Does that still suit you? Please say again whether you're coming."]),
        "The attached file updates the entry in your calendar.",
      ],
      button: mail.own ? "View plan" : "Say whether you're coming",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_placed: (mail, when) => ({
      subject: `The place is ${mail.place ?? ""}: ${mail.title}`,
      heading: mail.title,
      lines: [
        `The place is decided: ${choiceOf(mail, when, PLACE_OPEN)}`,
        "The time stays the same. The attached file updates the entry in your calendar.",
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    vote_nudge: (mail, when) => ({
      subject: `${ask(mail).heading} ${mail.title}`,
      ...ask(mail),
      lines: [
        `${mail.sender ?? mail.host ?? "The host"} is waiting for your vote on “${mail.title}”. ${ask(mail).missing}${mail.vote_deadline ? ` Voting closes ${when(mail.vote_deadline)}.` : ""}`,
      ],
      leadsTo: voteOf(mail),
    }),
    plan_proposed: (mail, when) => ({
      subject: `Proposed: ${mail.title}, ${when(mail.starts_at)}`,
      heading: mail.title,
      lines: [
        choiceOf(mail, when, PLACE_OPEN),
        `This is the best match of your votes. We'll confirm it ${when(mail.veto_until)} unless someone objects.`,
      ],
      button: "View the proposal",
      leadsTo: `/plans/${mail.plan_id}`,
    }),
    plan_vetoed: (mail) => ({
      subject: `Not confirmed: ${mail.title}`,
      heading: mail.title,
      lines: [
        `${mail.vetoed_by ?? "Someone"} objected to the proposal${mail.veto_reason ? `: “${mail.veto_reason}”` : "."}`,
        `${mail.host ?? "The host"} decides now.`,
      ],
      button: "View plan",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    plan_undecided: (mail) => ({
      subject: `Please decide: ${mail.title}`,
      heading: mail.title,
      lines: [
        `We couldn't decide this for you. ${mail.undecided ? english.undecided[mail.undecided] : ""}`.trim(),
        "Choose a time and a place yourself, or move the deadline.",
      ],
      button: "Choose now",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    confirm_address: (mail) => ({
      subject: `Confirm your address: ${mail.title}`,
      heading: "Is this you?",
      lines: [
        `${mail.sender ?? "Someone"} would like emails about “${mail.title}” sent here: when it's decided, if it changes, and a reminder.`,
        "If that's you, confirm it. If not, ignore this email, and you won't get another.",
      ],
      button: "Confirm my address",
      leadsTo: `/mail/confirm/${mail.secret ?? ""}`,
    }),
    everybody_answered: (mail) => ({
      subject: `Everyone has answered: ${mail.title}`,
      heading: mail.title,
      lines: [`All ${mail.people} people have voted. See which time and place suits everyone best.`],
      button: "See the best match",
      leadsTo: `/plans/${mail.plan_id}?tab=best`,
    }),
    join_asked: (mail) => ({
      subject: `${mail.sender ?? "Someone"} is asking for a seat: ${mail.title}`,
      heading: `${mail.sender ?? "Someone"} is asking for a seat`,
      lines: [
        `${mail.sender ?? "Someone"} opened the link of “${mail.title}” and is asking for a seat. Let them in, or decline.`,
      ],
      button: "Answer the request",
      leadsTo: `/plans/${mail.plan_id}#asking`,
    }),
  },
  fixed: (time) => `It's on ${time}.`,
  open: (first, last) =>
    first === last ? `The time to vote on: ${first}.` : `The times to vote on: ${first} to ${last}.`,
  undecided: undecidedInEnglish,
  why: "You get this email because of a plan with your friends on Nosh.",
  stop: "Choose which emails you get",
};
