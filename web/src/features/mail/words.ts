/** Owns: the words for which mails and calendar one wants, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const mailWords = defineWords("mail", {
  title: "Mail",
  invites: "Invitations to a plan",
  reminders: "Reminders: your vote, tomorrow's table, rating it",
  loading: "your mail settings",
  kept: "Kept.",
  calendar: {
    title: "Calendar",
    text: "An address that your calendar app follows. Every plan with a time is in it, and moves when the plan does.",
    secret: "Whoever has the address sees these plans. Make a new one, and the old one ends.",
    make: "Make an address",
    again: "Make a new address",
    stop: "End it",
    exists: "There is one. It is shown only once, when it is made.",
    address: "The address",
    copy: "Copy it",
    copied: "Copied",
    open: "Open in the calendar app",
    ended: "The address shows nothing any more.",
  },
  choice: {
    title: "Your mails",
    heading: (address: string) => `Mails to ${address}`,
    text: "Choose what still comes. No account is needed for that.",
    loading: "your choice",
    keep: "Keep it so",
    kept: "Kept. You can close this page.",
    none: "Stop all of them",
  },
});

export type MailWords = ReturnType<typeof mailWords>;
