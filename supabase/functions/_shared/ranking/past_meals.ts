/**
 * Owns: the points that ratings and photos of earlier meals give a place in the ranking, and the diets that a person
 * found a meal for there. Pure.
 */
import { type Diet, notKnownSafe } from "./diets.ts";

/** One earlier rating of a place. */
export interface PastRating {
  personId: string;
  /** 1 to 5. */
  stars: number;
  /** ISO 8601 instant of the rating; null when it is not known. */
  at: string | null;
  /** The person's diets for which there was a proper meal, those for which there was none, and when they ate. */
  ate?: readonly Diet[];
  lacked?: readonly Diet[];
  eatenAt?: string | null;
}

/** A row of the table ratings. */
export interface RatingRow {
  place_id: string | null;
  user_id: string;
  stars: number;
  created_at?: string;
  ate?: Diet[];
  lacked?: Diet[];
  eaten_at?: string | null;
}

/** The columns of RatingRow. */
export const ratingsSelect = "place_id, user_id, stars, created_at, ate, lacked, eaten_at";

export function pastRating({ user_id, stars, created_at, ate, lacked, eaten_at }: RatingRow): PastRating {
  return {
    personId: user_id,
    stars,
    at: created_at ?? null,
    ate: ate ?? [],
    lacked: lacked ?? [],
    eatenAt: eaten_at ?? null,
  };
}

/** A diet that a person found a proper meal for at a place, and when. */
export interface Eaten {
  diet: Diet;
  at: string;
}

/** A person's diets that a place is not confirmed for: those that they ate there all the same, and the others. */
export interface Unconfirmed {
  eaten: readonly Eaten[];
  unknown: readonly Diet[];
}

/**
 * The newest answer to each diet counts, of two answers at one time the no. It says nothing about another diet, and of
 * `own`, the person's own ratings of the place, nothing about another person (private.ate_here in the database).
 */
export function unconfirmedFor(
  needs: readonly Diet[],
  safe: readonly Diet[],
  own: readonly PastRating[],
): Unconfirmed {
  const missing = notKnownSafe(needs, safe);
  const eaten = missing.flatMap((diet) => {
    let newest: { at: string; found: boolean } | null = null;
    for (const { ate = [], lacked = [], eatenAt } of own) {
      const found = ate.includes(diet);
      if (!eatenAt || !(found || lacked.includes(diet))) continue;
      const later = newest === null ? 1 : Date.parse(eatenAt) - Date.parse(newest.at);
      if (later > 0 || (later === 0 && !found)) newest = { at: eatenAt, found };
    }
    return newest?.found ? [{ diet, at: newest.at }] : [];
  });
  return { eaten, unknown: missing.filter((diet) => !eaten.some((meal) => meal.diet === diet)) };
}

/**
 * Points for each person and each star above (or below) three. A person's own earlier ratings count, or the mean of the
 * others' for a person who has not rated the place.
 */
const RATING_GAIN = 150;
/** Points for each person and each photo of an earlier meal. All photos together weigh less than half a star. */
const PHOTO_GAIN = 10;
const PHOTOS_COUNTED = 6;
/** A person's own rating is a trade-off up to this many stars. */
export const LOW_STARS = 2;
/** A person liked a place if the mean of their ratings is at least this, in stars. */
export const LIKED_STARS = 4;

/** A person's points for a place, from their own ratings or the others'. */
export function ratingPoints(ratings: readonly PastRating[]): number {
  const mean = meanOf(ratings);
  return mean === null ? 0 : Math.round((mean - 3) * RATING_GAIN);
}

export function meanOf(ratings: readonly PastRating[]): number | null {
  return ratings.length === 0 ? null : ratings.reduce((sum, each) => sum + each.stars, 0) / ratings.length;
}

/** Each person's points for a place, from the group's photos of earlier meals there. */
export function photoPoints(photos: number): number {
  return Math.min(photos, PHOTOS_COUNTED) * PHOTO_GAIN;
}
