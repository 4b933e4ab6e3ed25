/** Owns: which places are offered to a person who has not searched. Pure. */
import { metresBetween, type Position } from "../map/geometry.ts";
import { isPlaced, type Place } from "./schema.ts";

/** How far people go for a meal. The database offers no further places either (plan_candidates). */
const REACH_METRES = 60_000;

/** Whether a place is offered without being searched for: one of the person's own, or one within reach. */
export function isInReach(place: Place, near: Position | null): boolean {
  if (!place.everybody) return true;
  return near !== null && isPlaced(place) && metresBetween(near, place) <= REACH_METRES;
}
