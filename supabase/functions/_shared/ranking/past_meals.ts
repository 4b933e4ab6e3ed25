/** Owns: the points that ratings and photos of earlier meals give a place in the ranking. Pure. */

/** One earlier rating of a place. */
export interface PastRating {
  personId: string;
  /** 1 to 5. */
  stars: number;
  /** ISO 8601 instant of the rating; null when it is not known. */
  at: string | null;
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
