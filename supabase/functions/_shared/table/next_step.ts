/**
 * Owns: the one thing that a plan waits for from a person. Pure. The database has the same rule (private.next_step); both
 * pass the cases of next_step_cases.ts.
 */
import { type PersonFacts, type PersonState, saidNo } from "./person_state.ts";
import type { NextStep, Question } from "./steps.ts";

export interface NextFacts {
  plan: PersonFacts["plan"];
  state: PersonState;
  /** The question that is open for the person. */
  question: Question | null;
  /** Whether they are a host, and whether nobody else has a seat. */
  hosts: boolean;
  alone: boolean;
  /** Whether the plan takes answers, and whether a host can decide now. */
  accepts: boolean;
  decides: boolean;
  /** Whether the place is decided, and whether the arrival board is open. */
  placed: boolean;
  today: boolean;
  /** Whether a rating is missing and still wanted. */
  rates: boolean;
  /** Whether they have neither said what they eat nor skipped the question. */
  diet: boolean;
  /** Whether another person who has not answered hears of it from the hosts only. */
  shares: boolean;
  /** Whether the place can be booked, and is not for as many as come. */
  books: boolean;
  /** Whether a message of somebody else is unread. */
  unread: boolean;
}

/**
 * The question that a person has not answered: no time, or no place where places are suggested. An option that is added
 * later opens nothing again.
 */
export function openQuestion(
  member: Pick<PersonFacts, "rsvp">,
  answered: Record<Question, boolean>,
  places: number,
): Question | null {
  if (saidNo(member)) return null;
  if (!answered.times) return "times";
  return places > 0 && !answered.places ? "places" : null;
}

export function nextStep({ plan, state, question, hosts, ...is }: NextFacts): NextStep | null {
  const chat = is.unread && state !== "not_coming" ? "chat" : null;
  switch (plan) {
    case "polling":
      if (hosts && is.alone) return "invite";
      if (is.accepts && question) return question;
      // Before the decision, as the place depends on it.
      if (is.accepts && is.diet && state !== "not_coming") return "diet";
      if (hosts && is.decides) return "decide";
      return hosts && is.accepts && is.shares ? "share" : chat;
    case "confirmed":
      if (state === "asked") return "rsvp";
      if (hosts && !is.placed) return "place";
      if (is.today && state === "expected") return "set_out";
      if (hosts && is.shares) return "share";
      return hosts && is.books ? "book" : chat;
    case "done":
      return state === "was_there" && is.rates ? "rate" : null;
    case "cancelled":
      return null;
  }
}
