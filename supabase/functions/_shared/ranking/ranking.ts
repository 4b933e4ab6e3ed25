/**
 * Owns: which (time, place) pairs are best for a table, and why. Pure; the browser ranks with it as votes
 * arrive, and the function suggest-places ranks further places with it, so both always agree.
 *
 * The order, first difference decides:
 *   1. pairs that somebody may come to;
 *   2. pairs that are known to be safe for the diets of everyone who may come, or where the person ate by their diet
 *      before, then the others, by the number of people they are not known to be safe for;
 *   3. the number of required people who said no;
 *   4. the score: attendance, votes for the place, fairness of the trips, budgets, earlier ratings, photos of
 *      earlier meals. It is computed in whole points, so that the order of people and options cannot change a sum;
 *   5. the earlier time, then names and ids, so that the order of equal pairs is stable.
 * Pairs whose place is known to be closed then are omitted; unknown hours are kept and mentioned. A table without any
 * place gets its times alone.
 */
import { type Diet, diets as everyDiet } from "./diets.ts";
import { type Interval, openBetween, type WallClock, wallClock } from "./hours.ts";
import {
  type Eaten,
  LIKED_STARS,
  LOW_STARS,
  meanOf,
  type PastRating,
  photoPoints,
  ratingPoints,
  type Unconfirmed,
  unconfirmedFor,
} from "./past_meals.ts";

export type Answer = "yes" | "if_need_be" | "no";
/** Person id to answer. A missing person has not answered, which is never "no". */
export type Votes = Readonly<Record<string, Answer>>;

export interface Person {
  id: string;
  name: string;
  diets: readonly Diet[];
  /** False for a person who has not said what they eat; an empty list of diets then means nothing. */
  dietsKnown?: boolean;
  /** 1 to 4, the price level that is comfortable. */
  budget: number;
  /** Whether they declined the plan. */
  declined?: boolean;
  /** Whether the host marked them as required. */
  required?: boolean;
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
  /** 1 to 4, or null when it is not known. */
  price: number | null;
  timeZone: string;
  hours: readonly Interval[];
  votes: Votes;
  /** Person id to estimated minutes; people without a start point are missing. */
  trips: Readonly<Record<string, number>>;
  /** Earlier ratings by the plan's members, as far as the reader may see them. */
  ratings: readonly PastRating[];
  /** Person id to the number of their photos of earlier meals here, as far as the reader may see them. */
  photos: Readonly<Record<string, number>>;
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
  | { kind: "rated_low"; stars: number }
  | { kind: "longest_trip"; minutes: number };

export interface Pair {
  timeId: string;
  /** Null for a time alone: its only reason is the attendance. */
  placeId: string | null;
  /** Whole points, higher is better; comparable only within one ranking. */
  score: number;
  /** Ids of the people who said yes to the time. */
  canCome: readonly string[];
  ifNeedBe: readonly string[];
  cannotCome: readonly string[];
  /** Ids of the people who have not answered the time. */
  unanswered: readonly string[];
  /** Ids of the required people who said no to the time. */
  requiredOut: readonly string[];
  /** The people who may come and for whom the place is not known to be safe. */
  notSafeFor: readonly { personId: string; diets: readonly Diet[] }[];
  /** What people who may come ate here by a diet that the place is not confirmed for. */
  eaten: readonly (Eaten & { personId: string })[];
  /** True when known to be open, null when the hours are unknown. */
  open: true | null;
  /** Null when nobody has a starting point, or the place has no position. */
  longestTrip: { personId: string; minutes: number } | null;
  /** Minutes between the longest and the shortest trip; 0 with fewer than two trips. */
  tripSpread: number;
  /** How many of the people who may come have a known trip. */
  tripsKnown: number;
  /** Mean of earlier ratings by people who may come, or null. */
  rating: number | null;
  /** The newest of these ratings. */
  ratedAt: string | null;
  /** Whether everyone who may come liked the place, by their own ratings, and at least two people may come. */
  likedByAll: boolean;
  /** The number of the group's photos of earlier meals at the place. */
  photos: number;
  /** The trade-offs by person, in the table's order. */
  compromises: readonly { personId: string; compromises: readonly Compromise[] }[];
}

/** Points for an answer. No answer counts less than a yes and more than a no. */
const timeWorth = { yes: 3000, if_need_be: 1650, no: 0, unanswered: 1050 } as const;
const placeWorth = { yes: 1200, if_need_be: 450, no: -1050, unanswered: 300 } as const;
/**
 * Points for a minute of the longest trip, and for a minute between longest and shortest, for each person who
 * may come.
 */
const TRIP_COST = 15;
const SPREAD_COST = 10;
/** Points for each person and each price level above their budget. */
const BUDGET_COST = 360;
/** A trip is a trade-off when it is this much longer than the shortest one. */
const UNFAIR_MINUTES = 20;

/** Ranks every pair that is not known to be impossible, best first. */
export function rankPairs(input: RankingInput): Pair[] {
  const people = input.people.filter((person) => !person.declined);
  const places = (input.places.length > 0 ? input.places : [NO_PLACE]).map((place) => weigh(people, place));
  const ranked: { pair: Pair; starts: number; time: TimeOption; place: PlaceOption }[] = [];
  for (const time of input.times) {
    const starts = Date.parse(time.startsAt);
    const groups = group(people, time);
    const walls = new Map<string, [WallClock, WallClock]>();
    const pairs = places.flatMap((weighed) => {
      const { place } = weighed;
      const open = openAt(place, time, walls);
      return open === false
        ? []
        : [{ pair: judge(people, time, groups, weighed, open), starts, time, place }];
    });
    chargeUnknownTrips(
      pairs.map(({ pair }) => pair),
      people.length - groups.cannotCome.length,
    );
    ranked.push(...pairs);
  }
  ranked.sort(
    (a, b) =>
      Number(isEmpty(a.pair)) - Number(isEmpty(b.pair)) ||
      a.pair.notSafeFor.length - b.pair.notSafeFor.length ||
      a.pair.requiredOut.length - b.pair.requiredOut.length ||
      b.pair.score - a.pair.score ||
      a.starts - b.starts ||
      compare(a.place.name, b.place.name) ||
      compare(a.time.id, b.time.id) ||
      compare(a.place.id, b.place.id),
  );
  return ranked.map(({ pair }) => pair);
}

/** Whether everybody said no to the time: such a pair is unsafe for nobody, and still no suggestion. */
function isEmpty({ canCome, ifNeedBe, unanswered }: Pair): boolean {
  return canCome.length + ifNeedBe.length + unanswered.length === 0;
}

/** Stands for the place of a table that has none: unknown in every way, and refused for no diet. */
const NO_PLACE: PlaceOption = {
  id: "",
  name: "",
  safeDiets: everyDiet,
  price: null,
  timeZone: "UTC",
  hours: [],
  votes: {},
  trips: {},
  ratings: [],
  photos: {},
};

/** Where no trip is known, the mean of the other places': a place without a position is neither near nor far. */
function chargeUnknownTrips(pairs: readonly Pair[], coming: number): void {
  const known = pairs.filter(({ longestTrip }) => longestTrip !== null).map(tripCost);
  if (known.length === 0) return;
  const usual = Math.round(known.reduce((sum, cost) => sum + cost, 0) / known.length);
  for (const pair of pairs) if (pair.longestTrip === null) pair.score -= usual * coming;
}

/** Points for each person who may come; 0 without a known trip. */
function tripCost({ longestTrip, tripSpread }: Pick<Pair, "longestTrip" | "tripSpread">): number {
  return longestTrip ? longestTrip.minutes * TRIP_COST + tripSpread * SPREAD_COST : 0;
}

/** A place's effect on each person, independent of the time: computed once. */
interface Weighed {
  place: PlaceOption;
  /** By the person's index: their own ratings here. */
  own: (readonly PastRating[])[];
  /** Photos of earlier meals by these people. */
  photos: number;
  /** By the person's index. */
  unconfirmed: Unconfirmed[];
  points: number[];
  /** Each person's trade-offs here, for a yes and for an if need be. */
  given: Record<"yes" | "if_need_be", readonly Compromise[]>[];
}

function weigh(people: readonly Person[], place: PlaceOption): Weighed {
  const own = people.map((person) => place.ratings.filter((each) => each.personId === person.id));
  const all = own.flat();
  const unconfirmed = people.map((person, index) =>
    unconfirmedFor(person.diets, place.safeDiets, own[index] ?? []),
  );
  const photos = people.reduce((sum, person) => sum + (place.photos[person.id] ?? 0), 0);
  return {
    place,
    own,
    photos,
    unconfirmed,
    points: people.map(
      (person, index) =>
        placeWorth[place.votes[person.id] ?? "unanswered"] -
        Math.max(0, (place.price ?? 0) - person.budget) * BUDGET_COST +
        ratingPoints(own[index]?.length ? own[index] : all) +
        photoPoints(photos),
    ),
    given: people.map((person, index) => ({
      yes: compromisesOf(person, place, unconfirmed[index]?.unknown ?? [], own[index] ?? [], false),
      if_need_be: compromisesOf(person, place, unconfirmed[index]?.unknown ?? [], own[index] ?? [], true),
    })),
  };
}

type Groups = Pick<Pair, "canCome" | "ifNeedBe" | "cannotCome" | "unanswered" | "requiredOut">;

function group(people: readonly Person[], time: TimeOption): Groups {
  const by = (answer: Answer | undefined) =>
    people.filter((person) => time.votes[person.id] === answer).map((person) => person.id);
  return {
    canCome: by("yes"),
    ifNeedBe: by("if_need_be"),
    cannotCome: by("no"),
    unanswered: by(undefined),
    requiredOut: people
      .filter((person) => person.required && time.votes[person.id] === "no")
      .map((person) => person.id),
  };
}

/** Local times are shared by places in one zone. */
function openAt(
  place: PlaceOption,
  time: TimeOption,
  walls: Map<string, [WallClock, WallClock]>,
): boolean | null {
  if (place.hours.length === 0) return null;
  let read = walls.get(place.timeZone);
  if (!read) {
    read = [wallClock(time.startsAt, place.timeZone), wallClock(time.endsAt, place.timeZone)];
    walls.set(place.timeZone, read);
  }
  return openBetween(place.hours, ...read);
}

function judge(
  people: readonly Person[],
  time: TimeOption,
  groups: Groups,
  { place, own, photos, unconfirmed, points, given }: Weighed,
  open: true | null,
): Pair {
  let score = 0;
  let coming = 0;
  let longestTrip: Pair["longestTrip"] = null;
  let shortest = Number.POSITIVE_INFINITY;
  let trips = 0;
  const notSafeFor: { personId: string; diets: readonly Diet[] }[] = [];
  const eatenHere: (Eaten & { personId: string })[] = [];
  people.forEach((person, index) => {
    const answer = time.votes[person.id];
    score += timeWorth[answer ?? "unanswered"];
    if (answer === "no") return; // who is not there does not mind the place
    coming += 1;
    score += points[index] ?? 0;
    const { eaten = [], unknown = [] } = unconfirmed[index] ?? {};
    if (unknown.length > 0) notSafeFor.push({ personId: person.id, diets: unknown });
    eatenHere.push(...eaten.map((meal) => ({ ...meal, personId: person.id })));
    const minutes = place.trips[person.id];
    if (minutes === undefined) return;
    trips += 1;
    shortest = Math.min(shortest, minutes);
    if (!longestTrip || minutes > longestTrip.minutes) longestTrip = { personId: person.id, minutes };
  });
  // Assigned in a callback, which the compiler does not track.
  const longest = longestTrip as Pair["longestTrip"];
  const tripSpread = longest && trips > 1 ? longest.minutes - shortest : 0;
  score -= tripCost({ longestTrip: longest, tripSpread }) * coming;

  const rated = own.flatMap((ratings, index) =>
    time.votes[people[index]?.id ?? ""] === "no" ? [] : [...ratings],
  );

  const compromises: { personId: string; compromises: readonly Compromise[] }[] = [];
  people.forEach((person, index) => {
    const answer = time.votes[person.id];
    let made =
      answer === "no" ? cannotCome : (given[index]?.[answer === "if_need_be" ? answer : "yes"] ?? []);
    if (longest?.personId === person.id && tripSpread >= UNFAIR_MINUTES) {
      made = [...made, { kind: "longest_trip", minutes: longest.minutes }];
    }
    if (made.length > 0) compromises.push({ personId: person.id, compromises: made });
  });

  return {
    timeId: time.id,
    placeId: place === NO_PLACE ? null : place.id,
    score,
    ...groups,
    notSafeFor,
    eaten: eatenHere,
    open,
    longestTrip: longest,
    tripSpread,
    tripsKnown: trips,
    rating: meanOf(rated),
    ratedAt: rated.reduce<string | null>((newest, { at }) => (at && at > (newest ?? "") ? at : newest), null),
    likedByAll:
      coming > 1 &&
      people.every(
        (person, index) => time.votes[person.id] === "no" || (meanOf(own[index] ?? []) ?? 0) >= LIKED_STARS,
      ),
    photos,
    compromises,
  };
}

const cannotCome: readonly Compromise[] = [{ kind: "cannot_come" }];

function compromisesOf(
  person: Person,
  place: PlaceOption,
  unknown: readonly Diet[],
  own: readonly PastRating[],
  timeIfNeedBe: boolean,
): Compromise[] {
  const made: Compromise[] = [];
  if (unknown.length > 0) made.push({ kind: "not_known_safe", diets: unknown });
  if (timeIfNeedBe) made.push({ kind: "time_if_need_be" });
  if (place.votes[person.id] === "no") made.push({ kind: "place_unwanted" });
  if (place.votes[person.id] === "if_need_be") made.push({ kind: "place_if_need_be" });
  if ((place.price ?? 0) > person.budget) made.push({ kind: "above_budget" });
  const mean = meanOf(own);
  if (mean !== null && mean <= LOW_STARS) made.push({ kind: "rated_low", stars: mean });
  return made;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
