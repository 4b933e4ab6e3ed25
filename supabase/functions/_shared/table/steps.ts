/** Owns: the names of what a plan waits for from a person, and the tab where each is done. */

/** A question of a plan in voting. */
export type Question = "times" | "places";

/** All steps, in the order of a plan's life. `invite`, `decide` and `place` are a host's. */
export const nextSteps = ["invite", "times", "places", "decide", "rsvp", "place", "set_out", "rate"] as const;
export type NextStep = (typeof nextSteps)[number];
/** The tab of the plan where a step is taken; the others are above the tabs. */
export const tabOf = { times: "when", places: "where", decide: "best", set_out: "day" } as const;

/** The tab of a step, if it has one. */
export const tabWhere = (step: NextStep | null) =>
  (tabOf as Partial<Record<NonNullable<typeof step>, (typeof tabOf)[keyof typeof tabOf]>>)[step ?? "rsvp"];
