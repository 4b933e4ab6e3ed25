/** Owns: the words of a plan that decides itself, in English. */
import { undecidedInEnglish } from "../../../../supabase/functions/_shared/ranking/undecided_words_en.ts";
import { defineWords } from "../../lib/i18n/words.ts";

export const decidingWords = defineWords("deciding", {
  proposal: {
    name: "Proposal",
    best: "The best match of your votes",
    at: "at",
    until: (when: string) => `We'll confirm this ${when} unless someone objects.`,
    soon: "We'll confirm this in a few minutes.",
    relative: (day: string, clock: string) => `${day} at ${clock}`,
    today: "today",
    object: "Object",
    confirm: "Confirm now",
    confirmed: "Confirmed.",
    declined: "You said you're not coming, so you can't object.",
  },
  undo: {
    name: "Undo",
    text: "Decided. Messages go out in a few seconds.",
    do: "Undo",
    undone: "Undone. Nobody got a message.",
  },
  veto: {
    title: "Object to this proposal?",
    text: "All votes stay. The host decides instead, and everyone sees that you objected.",
    reason: "Reason (optional)",
    reasonExample: "Too far for a weekday",
    long: "Use up to 140 characters.",
    do: "Object",
    done: "You objected. The host decides now.",
    waiting:
      "Your objection is saved on this device and will send when you're online. It counts if it arrives in time.",
    back: "Back",
  },
  vetoed: {
    by: (name: string) => `${name} objected to the proposal.`,
    byYou: "You objected to the proposal.",
    byWith: (name: string, reason: string) => `${name} objected to the proposal: “${reason}”`,
    byYouWith: (reason: string) => `You objected to the proposal: “${reason}”`,
  },
  undecided: {
    title: "We couldn't decide this for you.",
    ...undecidedInEnglish,
  },
  youDecide: "You decide: choose a match, or move the deadline.",
  hostDecides: "The host decides.",
  seeMatches: "See the matches",
});

export type DecidingWords = ReturnType<typeof decidingWords>;
