/** Owns: why a plan could not decide itself, in English, for the app and the mails. */
import type { UndecidedWords } from "./undecided.ts";

export const undecidedInEnglish: UndecidedWords = {
  nobody_voted: "Nobody voted before the deadline.",
  no_pair: "No combination of time and place works.",
  unsafe: "No place is confirmed safe for everyone who may come.",
  required_out: "Someone who has to be there can't make any of the times.",
  too_late: "The remaining times are too soon to ask everyone.",
  tie: "The best places are tied.",
  closed: "The proposed place is closed at that time.",
  options_changed: "The options changed after the proposal.",
};
