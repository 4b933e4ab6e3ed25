/** Owns: the words of a plan that decides itself, in English. */
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
  veto: {
    title: "Object to this proposal?",
    text: "All votes stay. The host decides instead, and everyone sees that you objected.",
    reason: "Reason (optional)",
    reasonExample: "Too far for a weekday",
    long: "Use up to 140 characters.",
    do: "Object",
    done: "You objected. The host decides now.",
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
    nobody_voted: "Nobody voted before the deadline.",
    no_pair: "No combination of time and place works.",
    unsafe: "No place is confirmed safe for everyone who may come.",
    required_out: "Someone who has to be there can't make any of the times.",
    too_late: "The remaining times are too soon to ask everyone.",
    tie: "The best places are tied.",
    closed: "The proposed place is closed at that time.",
    options_changed: "The options changed after the proposal.",
  },
  youDecide: "You decide: choose a match, or move the deadline.",
  hostDecides: "The host decides.",
  seeMatches: "See the matches",
});

export type DecidingWords = ReturnType<typeof decidingWords>;
