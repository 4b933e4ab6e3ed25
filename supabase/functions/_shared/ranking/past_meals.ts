/** Owns: what earlier ratings and photos say about a place, for one person and for a table. Pure. */

/** One earlier rating of a place. */
export interface PastRating {
  personId: string;
  /** 1 to 5. */
  stars: number;
  /** ISO 8601 instant of the rating; null when it is not known. */
  at: string | null;
}

/**
 * Points for each person and each star above (or below) three: of the person's own earlier ratings, or the mean of
 * the others' for somebody who has not eaten there.
 */
const RATING_GAIN = 150;
/** Points for each person and each photo of an earlier meal, up to a number: together less than half a star. */
const PHOTO_GAIN = 10;
const PHOTOS_COUNTED = 6;
/** A rating of one's own is a trade-off up to this many stars. */
export const LOW_STARS = 2;

/** Points of a place for somebody, from their own ratings or those of the others. */
export function ratingPoints(ratings: readonly PastRating[]): number {
  const mean = meanOf(ratings);
  return mean === null ? 0 : Math.round((mean - 3) * RATING_GAIN);
}

export function meanOf(ratings: readonly PastRating[]): number | null {
  return ratings.length === 0 ? null : ratings.reduce((sum, each) => sum + each.stars, 0) / ratings.length;
}

/** Points of a place for each person, from the table's photos of earlier meals there. */
export function photoPoints(photos: number): number {
  return Math.min(photos, PHOTOS_COUNTED) * PHOTO_GAIN;
}
