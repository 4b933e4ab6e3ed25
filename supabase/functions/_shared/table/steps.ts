/** Owns: the names of what a plan waits for from a person, and the tab where each is done. */

/** A question of a plan in voting. */
export type Question = "times" | "places";

/** All steps, the most urgent first. `invite`, `decide`, `place`, `share` and `book` are a host's. */
export const nextSteps = [
  "invite",
  "times",
  "places",
  "diet",
  "decide",
  "rsvp",
  "place",
  "set_out",
  "share",
  "book",
  "rate",
  "chat",
] as const;
export type NextStep = (typeof nextSteps)[number];
/** The tab of the plan where a step is taken; the others are above the tabs. */
export const tabOf = {
  times: "when",
  places: "where",
  decide: "best",
  set_out: "day",
  chat: "chat",
} as const;

/** The tab of a step, if it has one. */
export const tabWhere = (step: NextStep | null) =>
  (tabOf as Partial<Record<NonNullable<typeof step>, (typeof tabOf)[keyof typeof tabOf]>>)[step ?? "rsvp"];
