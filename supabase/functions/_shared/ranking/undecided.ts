/** Owns: why a plan that decides itself is left to its hosts. The column plans.undecided has the same values. */

export const undecidedReasons = [
  "nobody_voted",
  "no_pair",
  "unsafe",
  "required_out",
  "too_late",
  "tie",
  "closed",
  "options_changed",
] as const;
export type UndecidedReason = (typeof undecidedReasons)[number];

/** A sentence for each reason: the app and the mails say the same. */
export type UndecidedWords = Readonly<Record<UndecidedReason, string>>;
