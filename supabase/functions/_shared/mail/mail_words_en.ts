/** Owns: the sentences of Nosh's own mails, in English. Each says one thing; letters.ts chooses among them. */
import { undecidedInEnglish } from "../ranking/undecided_words_en.ts";

const attached = "The attached file updates the entry in your calendar.";

export const english = {
  someone: "Someone",
  view: "View plan",
  sayWhether: "Say whether you're coming",
  placeOpen: "The place is still to be decided.",
  bothOpen: "The plan is on again. When and where are still open.",
  attached,
  /** What a mail that asks to vote asks for. */
  ask: {
    times: {
      heading: "When can you make it?",
      missing: "You haven't voted on the times yet.",
      button: "Vote now",
    },
    places: {
      heading: "Where would you like to eat?",
      missing: "You haven't voted on the places yet.",
      button: "Vote now",
    },
  },
  /** What is known of whether the reader comes, and what to do if that is wrong. */
  coming: {
    expected: "We're expecting you. Say so if you can't make it.",
    waitlisted: "The table is full. You're on the waitlist and get a seat as soon as one is free.",
    notComing: "You said that you can't make it. Say so if you can.",
    asked: "Are you coming?",
    stillSuits: "Does that still suit you? Please say again whether you're coming.",
  },
  invite: {
    subject: (sender: string, title: string) => `${sender} invited you: ${title}`,
    wants: (sender: string) => `${sender} would like to eat with you.`,
    joined: (people: number) =>
      people === 1 ? "1 person has joined so far." : `${people} people have joined so far.`,
    how: "Say when you can make it and where you'd like to go. A name is enough, no account needed.",
    button: "Join the plan",
  },
  reminder: {
    subject: (title: string) => `Don't forget to vote: ${title}`,
    closes: (title: string, deadline: string) => `Voting on “${title}” closes ${deadline}.`,
  },
  nudge: {
    waits: (sender: string, title: string) => `${sender} is waiting for your vote on “${title}”.`,
    closes: (deadline: string) => `Voting closes ${deadline}.`,
  },
  soon: {
    subject: (title: string) => `Soon: ${title}`,
    sayNow: "If you can't make it after all, say so now. Someone else may be glad of the seat.",
  },
  rate: {
    subject: (placeOrTitle: string) => `How was ${placeOrTitle}?`,
    heading: "How was it?",
    why: (title: string) => `Rate “${title}” to help us suggest the next place.`,
    button: "Rate this plan",
  },
  confirmed: {
    subject: (title: string, time: string) => `It's on: ${title}, ${time}`,
    attached: "The attached file adds it to your calendar, or updates the existing entry.",
  },
  reopened: {
    subject: (title: string) => `Open again: ${title}`,
    open: "Voting on the time and place is open again. We'll email you once they are decided.",
    button: "Go to the votes",
  },
  cancelled: {
    subject: (title: string) => `Cancelled: ${title}`,
    own: "You cancelled this plan.",
    by: (sender: string) => `${sender} cancelled this plan.`,
    unknown: "This plan was cancelled.",
    was: (time: string) => `It was planned for ${time}.`,
  },
  restored: {
    subject: (title: string) => `On again: ${title}`,
    on: (choice: string) => `The plan is on again: ${choice}`,
  },
  changed: {
    subject: (title: string) => `Changed: ${title}`,
    what: "The name or the note has changed. The rest stays the same:",
    note: (note: string) => `Note: ${note}`,
  },
  moved: {
    subject: (title: string, choice: string) => `Changed: ${title}, now ${choice}`,
    was: (choice: string) => `It was ${choice}.`,
    changed: "The plan has changed.",
    now: (choice: string) => `It's now ${choice}`,
  },
  placed: {
    subject: (place: string, title: string) => `The place is ${place}: ${title}`,
    decided: (choice: string) => `The place is decided: ${choice}`,
    sameTime: `The time stays the same. ${attached}`,
  },
  proposed: {
    subject: (title: string, time: string) => `Proposed: ${title}, ${time}`,
    until: (time: string) =>
      `This is the best match of your votes. We'll confirm it ${time} unless someone objects.`,
    button: "View the proposal",
  },
  vetoed: {
    subject: (title: string) => `Not confirmed: ${title}`,
    by: (name: string, reason: string) => `${name} objected to the proposal${reason ? `: “${reason}”` : "."}`,
    youDecide: "It's yours to decide now.",
    decides: (host: string) => `${host} decides now.`,
    hostDecides: "The host decides now.",
  },
  undecided: {
    subject: (title: string) => `Please decide: ${title}`,
    failed: "We couldn't decide this for you.",
    reasons: undecidedInEnglish,
    choose: "Choose a time and a place yourself, or move the deadline.",
    button: "Choose now",
  },
  address: {
    subject: (title: string) => `Confirm your address: ${title}`,
    heading: "Is this you?",
    wants: (sender: string, title: string) =>
      `${sender} would like emails about “${title}” sent here: when it's decided, if it changes, and a reminder.`,
    ifNot: "If that's you, confirm it. If not, ignore this email, and you won't get another.",
    button: "Confirm my address",
  },
  everybody: {
    subject: (title: string) => `Everyone has answered: ${title}`,
    voted: (people: number) =>
      `All ${people} people have voted. See which time and place suits everyone best.`,
    button: "See the best match",
  },
  request: {
    subject: (sender: string, title: string) => `${sender} is asking for a seat: ${title}`,
    heading: (sender: string) => `${sender} is asking for a seat`,
    asks: (sender: string, title: string) =>
      `${sender} opened the link of “${title}” and is asking for a seat. Let them in, or decline.`,
    button: "Answer the request",
  },
  /** When the plan is, or the days that are voted on, for letters that do not say so themselves. */
  date: {
    fixed: (time: string) => `It's on ${time}.`,
    one: (time: string) => `The time to vote on: ${time}.`,
    open: (first: string, last: string) => `The times to vote on: ${first} to ${last}.`,
  },
  why: "You get this email because of a plan with your friends on Nosh.",
  stop: "Choose which emails you get",
};

export type MailWords = typeof english;
