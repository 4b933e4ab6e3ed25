/**
 * Owns: which (time, place) pairs are best for a table, and why. Pure; the browser ranks with it as votes
 * arrive, and the function suggest-places ranks further places with it, so both always agree.
 *
 * The order, first difference decides:
 *   1. pairs that are known to be safe for the diets of everyone who may come, then the others, by how many
 *      people they are not known to be safe for;
 *   2. the score: who can come, how the place was liked, how fair the trips are, whether it fits budgets,
 *      and how it was rated before;
 *   3. the earlier time, then names and ids, so that equal pairs never change places by chance.
 * Pairs whose place is known to be closed then are left out; unknown hours are kept and said.
 */
import { type Diet, notKnownSafe } from "./diets.ts";
import { type Interval, openDuring } from "./hours.ts";

export type Answer = "yes" | "if_need_be" | "no";
/** Person id to answer. A person who is missing has not answered, which is never "no". */
export type Votes = Readonly<Record<string, Answer>>;

export interface Person {
  id: string;
  name: string;
  diets: readonly Diet[];
  /** 1 to 4, the price level that is comfortable. */
  budget: number;
  /** Said that they are not coming at all. */
  declined?: boolean;
}

export interface TimeOption {
  id: string;
  /** ISO 8601 instants. */
  startsAt: string;
  endsAt: string;
  votes: Votes;
}

export interface PlaceOption {
  id: string;
  name: string;
  safeDiets: readonly Diet[];
  /** 1 to 4. */
  price: number;
  timeZone: string;
  hours: readonly Interval[];
  votes: Votes;
  /** Person id to estimated minutes; people without a start point are missing. */
  trips: Readonly<Record<string, number>>;
  /** Stars that this table's people gave before, 1 to 5. */
  ratings: readonly number[];
}

export interface RankingInput {
  people: readonly Person[];
  times: readonly TimeOption[];
  places: readonly PlaceOption[];
}

export type Compromise =
  | { kind: "cannot_come" }
  | { kind: "time_if_need_be" }
  | { kind: "place_if_need_be" }
  | { kind: "place_unwanted" }
  | { kind: "not_known_safe"; diets: readonly Diet[] }
  | { kind: "above_budget" }
  | { kind: "longest_trip"; minutes: number };

export interface Pair {
  timeId: string;
  placeId: string;
  /** Higher is better; comparable only inside one ranking. */
  score: number;
  /** Ids of the people who said yes to the time. */
  canCome: readonly string[];
  ifNeedBe: readonly string[];
  cannotCome: readonly string[];
  /** Ids of the people who have not answered the time. */
  unanswered: readonly string[];
  /** Who the place is not known to be safe for, of those who may come. */
  notSafeFor: readonly { personId: string; diets: readonly Diet[] }[];
  /** True when known to be open, null when the hours are unknown. */
  open: true | null;
  /** Null when nobody has a start point. */
  longestTrip: { personId: string; minutes: number } | null;
  /** Minutes between the longest and the shortest trip; 0 with fewer than two trips. */
  tripSpread: number;
  /** Mean of earlier ratings, or null. */
  rating: number | null;
  /** Who gives something up, by person, in the order of the table. */
  compromises: readonly { personId: string; compromises: readonly Compromise[] }[];
}

/** What an answer is worth. Silence counts for less than a yes and for more than a no. */
const timeWorth = { yes: 1, if_need_be: 0.55, no: 0, unanswered: 0.35 } as const;
const placeWorth = { yes: 0.4, if_need_be: 0.15, no: -0.35, unanswered: 0.1 } as const;
/** One hour of the longest trip costs as much as this share of one person's yes, for each person. */
const TRIP_COST_PER_HOUR = 0.3;
const SPREAD_COST_PER_HOUR = 0.2;
/** For each person and each price level above their budget. */
const BUDGET_COST = 0.12;
/** A place with five stars gains this much for each person against one that nobody rated. */
const RATING_GAIN = 0.1;
/** A trip is a compromise when it is this much longer than the shortest one. */
const UNFAIR_MINUTES = 20;

/** Ranks every pair that is not known to be impossible, best first. */
export function rankPairs(input: RankingInput): Pair[] {
  const people = input.people.filter((person) => !person.declined);
  const ranked: { pair: Pair; time: TimeOption; place: PlaceOption }[] = [];
  for (const time of input.times) {
    for (const place of input.places) {
      const open = openDuring(place.hours, place.timeZone, time.startsAt, time.endsAt);
      if (open !== false) ranked.push({ pair: judge(people, time, place, open), time, place });
    }
  }
  ranked.sort(
    (a, b) =>
      a.pair.notSafeFor.length - b.pair.notSafeFor.length ||
      b.pair.score - a.pair.score ||
      Date.parse(a.time.startsAt) - Date.parse(b.time.startsAt) ||
      compare(a.place.name, b.place.name) ||
      compare(a.time.id, b.time.id) ||
      compare(a.place.id, b.place.id),
  );
  return ranked.map(({ pair }) => pair);
}

function judge(people: readonly Person[], time: TimeOption, place: PlaceOption, open: true | null): Pair {
  const by = (answer: Answer | undefined) =>
    people.filter((person) => time.votes[person.id] === answer).map((person) => person.id);
  const mayCome = people.filter((person) => time.votes[person.id] !== "no");
  const trips = mayCome.flatMap((person) => {
    const minutes = place.trips[person.id];
    return minutes === undefined ? [] : [{ personId: person.id, minutes }];
  });
  const longestTrip = trips.reduce<Pair["longestTrip"]>(
    (longest, trip) => (longest && longest.minutes >= trip.minutes ? longest : trip),
    null,
  );
  const shortest = Math.min(...trips.map((trip) => trip.minutes));
  const tripSpread = longestTrip && trips.length > 1 ? longestTrip.minutes - shortest : 0;
  const rating =
    place.ratings.length > 0
      ? place.ratings.reduce((sum, stars) => sum + stars, 0) / place.ratings.length
      : null;

  const compromises = people.flatMap((person) => {
    const made = compromisesOf(person, time, place);
    if (longestTrip?.personId === person.id && tripSpread >= UNFAIR_MINUTES) {
      made.push({ kind: "longest_trip", minutes: longestTrip.minutes });
    }
    return made.length > 0 ? [{ personId: person.id, compromises: made }] : [];
  });

  let score = 0;
  for (const person of people) {
    score += timeWorth[time.votes[person.id] ?? "unanswered"];
    if (time.votes[person.id] === "no") continue; // who is not there does not mind the place
    score += placeWorth[place.votes[person.id] ?? "unanswered"];
    score -= Math.max(0, place.price - person.budget) * BUDGET_COST;
    score += rating === null ? 0 : ((rating - 3) / 2) * RATING_GAIN;
  }
  if (longestTrip) {
    const hours = (longestTrip.minutes * TRIP_COST_PER_HOUR + tripSpread * SPREAD_COST_PER_HOUR) / 60;
    score -= hours * mayCome.length;
  }

  return {
    timeId: time.id,
    placeId: place.id,
    score,
    canCome: by("yes"),
    ifNeedBe: by("if_need_be"),
    cannotCome: by("no"),
    unanswered: by(undefined),
    notSafeFor: mayCome.flatMap((person) => {
      const unknown = notKnownSafe(person.diets, place.safeDiets);
      return unknown.length > 0 ? [{ personId: person.id, diets: unknown }] : [];
    }),
    open,
    longestTrip,
    tripSpread,
    rating,
    compromises,
  };
}

function compromisesOf(person: Person, time: TimeOption, place: PlaceOption): Compromise[] {
  if (time.votes[person.id] === "no") return [{ kind: "cannot_come" }];
  const made: Compromise[] = [];
  const unknown = notKnownSafe(person.diets, place.safeDiets);
  if (unknown.length > 0) made.push({ kind: "not_known_safe", diets: unknown });
  if (time.votes[person.id] === "if_need_be") made.push({ kind: "time_if_need_be" });
  if (place.votes[person.id] === "no") made.push({ kind: "place_unwanted" });
  if (place.votes[person.id] === "if_need_be") made.push({ kind: "place_if_need_be" });
  if (place.price > person.budget) made.push({ kind: "above_budget" });
  return made;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
