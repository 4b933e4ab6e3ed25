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
    copy: "Copy link",
    copied: "Copied",
    open: "Open in calendar app",
    ended: "The link is off.",
  },
  choice: {
    title: "Your emails",
    heading: (address: string) => `Emails to ${address}`,
    text: "Choose which emails you get. You don't need an account.",
    loading: "your choice",
    save: "Save",
    saved: "Saved. You can close this page.",
    none: "Stop all emails",
  },
});

export type MailWords = ReturnType<typeof mailWords>;
