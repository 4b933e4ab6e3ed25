/**
 * Owns: the words for a ranked pair. Numbers of people before percentages, names before numbers, and who
 * gives something up is said as plainly as what works.
 */
import { dietWord } from "./diets.ts";
import type { Compromise, Pair, Person } from "./ranking.ts";

/** Why a pair is good, best reason first; never empty. */
export function reasonsFor(pair: Pair, people: readonly Person[]): string[] {
  const coming = people.filter((person) => !person.declined);
  const reasons = [attendance(pair, coming.length)];
  if (pair.notSafeFor.length === 0 && coming.some((person) => person.diets.length > 0)) {
    reasons.push("Known to be safe for every diet at the table");
  }
  if (pair.longestTrip) {
    const name = nameOf(pair.longestTrip.personId, people);
    reasons.push(
      pair.tripSpread <= 10
        ? `About the same trip for everyone, ${pair.longestTrip.minutes} min at most`
        : `Longest trip ${pair.longestTrip.minutes} min (${name})`,
    );
  }
  if (pair.rating !== null) reasons.push(`You gave it ${pair.rating.toFixed(1)} of 5 before`);
  if (pair.open === null) reasons.push("Opening hours are not known, call first");
  return reasons;
}

/** One sentence for each person who compromises: "Chiara: only if need be". */
export function compromisesFor(pair: Pair, people: readonly Person[]): string[] {
  return pair.compromises.map(
    ({ personId, compromises }) => `${nameOf(personId, people)}: ${compromises.map(phrase).join(", ")}`,
  );
}

function attendance(pair: Pair, total: number): string {
  const yes = pair.canCome.length;
  if (total > 0 && yes === total) return total === 1 ? "Works for you" : `Works for all ${total}`;
  const waiting = pair.unanswered.length;
  const parts = [`${yes} of ${total} can come`];
  if (pair.ifNeedBe.length > 0) parts.push(`${pair.ifNeedBe.length} if need be`);
  if (waiting > 0) parts.push(`${waiting} yet to answer`);
  return parts.join(", ");
}

function phrase(compromise: Compromise): string {
  switch (compromise.kind) {
    case "cannot_come":
      return "cannot come";
    case "time_if_need_be":
      return "the time only if need be";
    case "place_if_need_be":
      return "the place only if need be";
    case "place_unwanted":
      return "would rather eat elsewhere";
    case "not_known_safe":
      return `not known to be ${compromise.diets.map(dietWord).join(" or ")}`;
    case "above_budget":
      return "above their budget";
    case "longest_trip":
      return `the longest trip, ${compromise.minutes} min`;
  }
}

function nameOf(personId: string, people: readonly Person[]): string {
  return people.find((person) => person.id === personId)?.name.split(" ")[0] ?? "Someone";
}
