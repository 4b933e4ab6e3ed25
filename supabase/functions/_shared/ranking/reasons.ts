/**
 * Owns: the reasons for a pair's rank, as data (a code and its values), for everyone and for each person, and
 * their rendering with a language's words. Trade-offs are stated as clearly as advantages.
 */
import { type Diet, dietWord } from "./diets.ts";
import { type Eaten, unconfirmedFor } from "./past_meals.ts";
import type { Answer, Compromise, Pair, Person, PlaceOption, TimeOption } from "./ranking.ts";
import { type ReasonWords, reasonWords } from "./reason_words.ts";

export type Reason =
  | { code: "all_come"; total: number }
  | { code: "attendance"; yes: number; total: number; if_need_be: number; silent: number }
  | { code: "required_out"; people: readonly string[] }
  /** These may come, and said no to the place. */
  | { code: "place_refused"; people: readonly string[] }
  | { code: "all_safe" }
  | { code: "safe_as_known"; people: readonly string[] }
  /** These ate there by a diet that the place is not confirmed for. */
  | { code: "ate_here"; meals: readonly (Eaten & { person: string })[] }
  /** `known` of the `total` who may come have a known trip. */
  | { code: "even_trips"; minutes: number; known: number; total: number }
  | { code: "longest_trip"; person: string; minutes: number; known: number; total: number }
  | { code: "rated"; stars: number }
  /** Everyone who may come liked the place; `at` is the newest rating's time. */
  | { code: "all_liked"; stars: number; at: string }
  /** The group has photos of earlier meals there. */
  | { code: "photos"; count: number }
  | { code: "hours_unknown" };

/** Trips are "about the same" when the shortest is at most this much shorter: in minutes, or as a part of the longest. */
const EVEN_MINUTES = 5;
const EVEN_PART = 1 / 4;

/** Why a pair is good, best reason first; never empty. People are named by their ids. */
export function reasonsFor(pair: Pair, people: readonly Person[]): Reason[] {
  const coming = people.filter((person) => !person.declined);
  const total = coming.length;
  const yes = pair.canCome.length;
  const refused = pair.compromises
    .filter(({ compromises }) => compromises.some(({ kind }) => kind === "place_unwanted"))
    .map(({ personId }) => personId);
  const reasons: Reason[] = [
    total > 0 && yes === total && refused.length === 0
      ? { code: "all_come", total }
      : {
          code: "attendance",
          yes,
          total,
          if_need_be: pair.ifNeedBe.length,
          silent: pair.unanswered.length,
        },
  ];
  if (pair.requiredOut.length > 0) reasons.push({ code: "required_out", people: pair.requiredOut });
  if (pair.placeId === null) return reasons;
  if (refused.length > 0) reasons.push({ code: "place_refused", people: refused });
  const mayCome = coming.filter(({ id }) => !pair.cannotCome.includes(id));
  if (pair.eaten.length > 0) {
    reasons.push({
      code: "ate_here",
      meals: pair.eaten.map(({ personId, diet, at }) => ({ person: personId, diet, at })),
    });
  } else if (pair.notSafeFor.length === 0 && mayCome.some((person) => person.diets.length > 0)) {
    const unasked = unaskedOf(mayCome);
    reasons.push(unasked.length === 0 ? { code: "all_safe" } : { code: "safe_as_known", people: unasked });
  }
  if (pair.longestTrip) {
    const { personId, minutes } = pair.longestTrip;
    const known = pair.tripsKnown;
    const counted = {
      minutes,
      known,
      total: pair.canCome.length + pair.ifNeedBe.length + pair.unanswered.length,
    };
    reasons.push(
      known > 1 && pair.tripSpread <= Math.max(EVEN_MINUTES, minutes * EVEN_PART)
        ? { code: "even_trips", ...counted }
        : { code: "longest_trip", person: personId, ...counted },
    );
  }
  if (pair.rating !== null) {
    reasons.push(
      pair.likedByAll && pair.ratedAt !== null
        ? { code: "all_liked", stars: pair.rating, at: pair.ratedAt }
        : { code: "rated", stars: pair.rating },
    );
  }
  if (pair.photos > 0) reasons.push({ code: "photos", count: pair.photos });
  if (pair.open === null) reasons.push({ code: "hours_unknown" });
  return reasons;
}

/** The people who may come and have not said what they eat, so that no place is known to be safe for them. */
function unaskedOf(mayCome: readonly Person[]): string[] {
  return mayCome
    .filter(({ diets, dietsKnown = true }) => !dietsKnown && diets.length === 0)
    .map(({ id }) => id);
}

/** One pair's effect on one person. */
export interface PersonalView {
  personId: string;
  required: boolean;
  time: Answer | null;
  place: Answer | null;
  /** The person's diets: those that the place is known to be safe for, those they ate by there, and the others. */
  safe: readonly Diet[];
  eaten: readonly Eaten[];
  unknown: readonly Diet[];
  /** Null when the person has no starting point. */
  minutes: number | null;
}

/** One view for each person who has not declined, in the table's order; of a time alone, what they said to it. */
export function personalViews(
  people: readonly Person[],
  time: TimeOption,
  place: PlaceOption | null,
): PersonalView[] {
  return people
    .filter((person) => !person.declined)
    .map((person) => {
      const own = place?.ratings.filter(({ personId }) => personId === person.id) ?? [];
      const { eaten, unknown } = unconfirmedFor(person.diets, place?.safeDiets ?? person.diets, own);
      const isSafe = (diet: Diet) => !unknown.includes(diet) && !eaten.some((meal) => meal.diet === diet);
      return {
        personId: person.id,
        required: person.required ?? false,
        time: time.votes[person.id] ?? null,
        place: place?.votes[person.id] ?? null,
        safe: place ? person.diets.filter(isSafe) : [],
        eaten,
        unknown,
        minutes: place?.trips[person.id] ?? null,
      };
    });
}

/** A language's words for the reasons. */
export interface Speaker {
  words: ReasonWords;
  /** The name of a person by id. */
  name: (person: string) => string;
  names: (people: readonly string[]) => string;
  /** "vegan or halal" */
  diets: (diets: readonly Diet[]) => string;
  /** "4.5" */
  stars: (stars: number) => string;
  /** "October" */
  month: (instant: string) => string;
}

export function reasonText(reason: Reason, { words, name, names, diets, stars, month }: Speaker): string {
  const say = words.reasons;
  switch (reason.code) {
    case "all_come":
      return say.all_come(reason.total);
    case "attendance":
      return say.attendance(reason.yes, reason.total, reason.if_need_be, reason.silent);
    case "required_out":
      return say.required_out(names(reason.people));
    case "place_refused":
      return say.place_refused(names(reason.people));
    case "all_safe":
      return say.all_safe;
    case "safe_as_known":
      return say.safe_as_known(names(reason.people), reason.people.length);
    case "ate_here":
      return reason.meals
        .map(({ person, diet, at }) => say.ate_here(name(person), diets([diet]), month(at)))
        .join("; ");
    case "even_trips":
      return say.even_trips(reason.minutes, reason.known, reason.total);
    case "longest_trip":
      return say.longest_trip(name(reason.person), reason.minutes, reason.known, reason.total);
    case "rated":
      return say.rated(stars(reason.stars));
    case "all_liked":
      return say.all_liked(month(reason.at), stars(reason.stars));
    case "photos":
      return say.photos(reason.count);
    case "hours_unknown":
      return say.hours_unknown;
  }
}

/** @param count how many people give this up */
function compromiseText(compromise: Compromise, count: number, { words, diets, stars }: Speaker): string {
  const say = words.compromises;
  switch (compromise.kind) {
    case "cannot_come":
    case "place_unwanted":
      return say[compromise.kind](count);
    case "not_known_safe":
      return say.not_known_safe(diets(compromise.diets));
    case "rated_low":
      return say.rated_low(
        Number.isInteger(compromise.stars) ? String(compromise.stars) : stars(compromise.stars),
        count,
      );
    case "longest_trip":
      return say.longest_trip(compromise.minutes);
    default:
      return say[compromise.kind];
  }
}

/** One sentence for each set of trade-offs, with the people who make them: "Chiara: the time only if need be". */
export function compromiseTexts(pair: Pair, speaker: Speaker): string[] {
  const alike = Map.groupBy(pair.compromises, ({ compromises }) => JSON.stringify(compromises));
  return [...alike.values()].map((group) =>
    speaker.words.compromises.of(
      speaker.names(group.map(({ personId }) => personId)),
      group.length,
      (group[0]?.compromises ?? []).map((each) => compromiseText(each, group.length, speaker)).join(", "),
    ),
  );
}

/** English, for direct callers of the function. */
export function inEnglish(people: readonly Person[]): Speaker {
  const name = (id: string) => people.find((person) => person.id === id)?.name.split(" ")[0] ?? "Someone";
  return {
    words: reasonWords,
    name,
    names: (ids) => ids.map(name).join(" and "),
    diets: (diets) => diets.map(dietWord).join(" or "),
    stars: (stars) => stars.toFixed(1),
    month: (instant) =>
      new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" }).format(new Date(instant)),
  };
}
