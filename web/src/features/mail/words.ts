/** Owns: the words for email settings and the calendar link, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const mailWords = defineWords("mail", {
  title: "Email",
  invites: "Invitations to a plan",
  reminders: "Decisions and reminders (to vote, before a plan, to rate it)",
  loading: "your email settings",
  saved: "Saved.",
  calendar: {
    title: "Calendar",
    text: "See your confirmed plans in your calendar app. They update by themselves.",
    secret: "Anyone with the link can see these plans. A new link replaces the old one.",
    make: "Get calendar link",
    again: "Get a new link",
    stop: "Turn off link",
    exists: "Your calendar link is on. For safety, we only show it when you create it.",
    address: "Calendar link",
    open: "Open in calendar app",
    ended: "The link is off.",
  },
  offer: {
    name: "News by email",
    address: "Get news of this plan by email",
    leave: "Email me",
    asked: (address: string) => `One more step: open the email to ${address} and confirm the address.`,
    on: (address: string) => `You'll get emails about this plan at ${address}.`,
    notSent:
      "This address has opted out of our emails. Use another one, or the link at the end of an earlier email.",
    other: "Use another address",
    stop: "Stop emails",
  },
  confirm: {
    title: "Confirm your address",
    text: "You'll get an email when the plan is decided or changes, and a reminder. Each has a link to stop them.",
    go: "Confirm my address",
    done: "Confirmed.",
    toPlan: "Go to the plan",
  },
  choice: {
    title: "Your emails",
    heading: (address: string) => `Emails to ${address}`,
    text: "Choose which emails you get. You don't need an account.",
    loading: "your choice",
    save: "Save",
    saved: "Saved.",
    toNosh: "Go to Nosh",
    none: "Stop all emails",
  },
});

export type MailWords = ReturnType<typeof mailWords>;
