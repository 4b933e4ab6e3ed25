/**
 * Owns: the state of a person in a plan, derived from what they voted and said and where they are. Pure. The database
 * has the same rule (private.person_state); both pass the cases of person_state_cases.ts.
 */

/**
 * - asked: has said nothing, or nothing that still counts
 * - voted: has answered a time or a place of a plan in voting
 * - expected: comes, by a yes to the chosen time or by what they said since
 * - maybe: does not know yet
 * - waitlisted: comes as soon as there is a seat
 * - not_coming: said no, or the plan is cancelled
 * - on_the_way, here: as they say themselves on the day
 * - was_there: the meal is over, and they came or were expected
 */
export type PersonState =
  | "asked"
  | "voted"
  | "expected"
  | "maybe"
  | "waitlisted"
  | "not_coming"
  | "on_the_way"
  | "here"
  | "was_there";

type Answer = "yes" | "if_need_be" | "no";

/** A person at the table, as the app's rows have them, and the plan's state. */
export interface PersonFacts {
  /** A confirmed plan is done four hours after its chosen time ends. */
  plan: "polling" | "confirmed" | "done" | "cancelled";
  /** Whether the hosts have changed the choice since the vote: the votes were for something else. */
  moved: boolean;
  role: "host" | "cohost" | "guest";
  /** What the person said about coming; pending while they have not said anything. */
  rsvp: "pending" | "going" | "maybe" | "declined" | "waitlisted";
  /** Whether they have answered any time or place. */
  answered: boolean;
  /** Their answers to the chosen time and place; not read while voting. */
  answer: Answer | null;
  place_answer: Answer | null;
  arrival: "not_left" | "on_the_way" | "arrived" | null;
}

export function personState(person: PersonFacts): PersonState {
  const { plan, rsvp, arrival } = person;
  if (plan === "cancelled") return "not_coming";
  if (plan === "polling") {
    if (saidNo(person)) return "not_coming";
    return person.answered || rsvp !== "pending" ? "voted" : "asked";
  }
  const done = plan === "done";
  if (arrival === "arrived") return done ? "was_there" : "here";
  if (arrival === "on_the_way") return done ? "was_there" : arrival;
  const coming = rsvp === "pending" ? byVotes(person) : rsvp;
  if (coming === "going") return done ? "was_there" : "expected";
  if (coming === "maybe") return coming;
  if (done || coming === "declined") return "not_coming";
  return coming === "pending" ? "asked" : coming;
}

/** What the votes say about coming. A host without an answer to the chosen time comes. */
function byVotes({
  moved,
  role,
  answer,
  place_answer,
}: PersonFacts): "pending" | "going" | "maybe" | "declined" {
  if (moved) return "pending";
  if (answer === "no") return "declined";
  if (place_answer === "no") return "pending";
  if (answer === "if_need_be") return "maybe";
  return answer || role === "host" ? "going" : "pending";
}

/** Whether the person has a seat: expected, on the way, here, or was there. */
export function isSeated(state: PersonState): boolean {
  return state === "expected" || state === "on_the_way" || state === "here" || state === "was_there";
}

/** Whether a member said no to the whole plan, whatever becomes of it. */
export function saidNo({ rsvp }: { rsvp: string }): boolean {
  return rsvp === "declined";
}
