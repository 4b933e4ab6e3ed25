/** Owns: why a plan could not decide itself, in English, for the app and the mails. */
import type { UndecidedWords } from "./undecided.ts";

export const undecidedInEnglish: UndecidedWords = {
  nobody_voted: "Nobody voted before the deadline.",
  no_pair: "No time and place work together.",
  unsafe: "No place is confirmed safe for everyone who may come.",
  required_out: "Someone who has to be there can't make any of the times.",
  too_late: "The remaining times are too soon to ask everyone.",
  tie: "Two places are equally good.",
  closed: "The proposed place is closed at that time.",
  options_changed: "The options changed after the proposal.",
};
