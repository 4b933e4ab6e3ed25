/**
 * Owns: the shape in which a plan is read for ranking (one request with PostgREST's embedding), and its
 * conversion to the ranking's input. The browser reads the same shape, so both rank the same input.
 */
import { saidNo } from "../table/person_state.ts";
import type { Diet } from "./diets.ts";
import type { Interval } from "./hours.ts";
import { pastRating, type RatingRow } from "./past_meals.ts";
import type { Answer, Person, PlaceOption, RankingInput, TimeOption, Votes } from "./ranking.ts";

/**
 * The `select` of table `plans` that returns PlanRows. The foreign keys are named, because a plan also refers
 * to its choice.
 */
export const planRowsSelect = `
  id,
  plan_members(user_id, rsvp, required, profiles(display_name, diets, diets_known, budget)),
  time_options!time_options_plan_id_fkey(id, starts_at, ends_at, time_votes(user_id, answer)),
  place_options!place_options_plan_id_fkey(id, place_id, place_votes(user_id, answer), places(${placeColumns()}))
`;

export function placeColumns(): string {
  return "id, name, safe_diets, price, time_zone, place_hours(weekday, opens, closes)";
}

export interface VoteRow {
  user_id: string;
  answer: Answer;
}

export interface PlaceRow {
  id: string;
  name: string;
  safe_diets: Diet[];
  price: number | null;
  time_zone: string;
  place_hours: Interval[];
}

export interface PlanRows {
  id: string;
  plan_members: {
    user_id: string;
    rsvp: string;
    required: boolean;
    profiles: { display_name: string; diets: Diet[]; diets_known?: boolean; budget: number } | null;
  }[];
  time_options: { id: string; starts_at: string; ends_at: string; time_votes: VoteRow[] }[];
  place_options: { id: string; place_id: string; place_votes: VoteRow[]; places: PlaceRow | null }[];
}

/** A row of the function plan_trips. */
export interface TripRow {
  place_id: string;
  user_id: string;
  minutes: number;
}

/** A row of the view place_photos. */
export interface PhotosRow {
  place_id: string;
  author_id: string | null;
  photos: number;
}

/** The columns of PhotosRow. */
export const photosSelect = "place_id, author_id, photos";

export function peopleOf(rows: PlanRows): Person[] {
  return rows.plan_members.map((member) => ({
    id: member.user_id,
    name: member.profiles?.display_name ?? "Someone",
    diets: member.profiles?.diets ?? [],
    dietsKnown: member.profiles?.diets_known ?? true,
    budget: member.profiles?.budget ?? 4,
    declined: saidNo(member),
    required: member.required,
  }));
}

export function timesOf(rows: PlanRows): TimeOption[] {
  return rows.time_options.map((option) => ({
    id: option.id,
    startsAt: option.starts_at,
    endsAt: option.ends_at,
    votes: votesOf(option.time_votes),
  }));
}

/** A place as the ranking's input; `id` is the option's id, or the place's own when it is not on the plan. */
export function placeOf(
  id: string,
  place: PlaceRow,
  votes: readonly VoteRow[],
  trips: readonly TripRow[],
  pastMeals: PastMeals,
): PlaceOption {
  return {
    id,
    name: place.name,
    safeDiets: place.safe_diets,
    price: place.price,
    timeZone: place.time_zone,
    hours: place.place_hours,
    votes: votesOf(votes),
    trips: Object.fromEntries(
      trips.filter((trip) => trip.place_id === place.id).map((trip) => [trip.user_id, trip.minutes]),
    ),
    ratings: pastMeals.ratings.filter((rating) => rating.place_id === place.id).map(pastRating),
    photos: photosAt(place.id, pastMeals.photos),
  };
}

/** Ratings and photos of earlier meals. */
export interface PastMeals {
  ratings: readonly RatingRow[];
  photos: readonly PhotosRow[];
}

/** The ratings and photos by the plan's members; no others count. */
export function pastMealsOf(rows: PlanRows, { ratings, photos }: PastMeals): PastMeals {
  const people = new Set(rows.plan_members.map((member) => member.user_id));
  return {
    ratings: ratings.filter((rating) => people.has(rating.user_id)),
    photos: photos.filter(({ author_id }) => author_id !== null && people.has(author_id)),
  };
}

function photosAt(place: string, rows: readonly PhotosRow[]): Record<string, number> {
  const byPerson: Record<string, number> = {};
  for (const { place_id, author_id, photos } of rows) {
    if (place_id === place && author_id) byPerson[author_id] = (byPerson[author_id] ?? 0) + photos;
  }
  return byPerson;
}

/** The ranking's input for the times and places on the plan. */
export function rankingInput(rows: PlanRows, trips: readonly TripRow[], pastMeals: PastMeals): RankingInput {
  const own = pastMealsOf(rows, pastMeals);
  return {
    people: peopleOf(rows),
    times: timesOf(rows),
    places: rows.place_options.flatMap((option) =>
      option.places ? [placeOf(option.id, option.places, option.place_votes, trips, own)] : [],
    ),
  };
}

function votesOf(rows: readonly VoteRow[]): Votes {
  return Object.fromEntries(rows.map((row) => [row.user_id, row.answer]));
}
