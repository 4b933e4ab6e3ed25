/** Owns: the words about notifications on this device, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const pushWords = defineWords("push", {
  title: "Notifications",
  loading: "your notification settings",
  label: "Notify me on this device of decisions, changes and reminders",
  unsupported: "This browser can't show notifications. You still get emails, if you added an address.",
  install: "On an iPhone or iPad, add Nosh to your home screen first: tap Share, then Add to Home Screen.",
  blocked: "Notifications are blocked for Nosh. Allow them in your browser's settings for this site.",
  unconfigured: "Notifications aren't set up on this server.",
  turnedOn: "Notifications are on.",
  turnedOff: "Notifications are off.",
  offer: {
    name: "Notifications",
    decided: "Want to know when it's decided?",
    changes: "Want to know if anything changes?",
    yes: "Notify me",
    no: "Not now",
    on: "You'll get a notification on this device.",
  },
  home: {
    name: "Home screen",
    ask: "Want Nosh on your home screen?",
    yes: "Add it",
  },
});

export type PushWords = ReturnType<typeof pushWords>;
