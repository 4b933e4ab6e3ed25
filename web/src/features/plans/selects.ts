/**
 * Owns: the columns of plan queries, in PostgREST's syntax. The build reads it too: the page's inline script sends the same
 * request before the app is loaded (web/first-views.ts).
 */
import { planColumns } from "./fields.ts";

/** The foreign keys are named because a plan refers to its options twice: as a list and as its choice. */
export const wholePlan = `
  ${Object.keys(planColumns).join(", ")},
  plan_channels(epoch, revision),
  plan_members(user_id, role, rsvp, plus_ones, waitlisted_at, joined_at, answered_at, times_answered,
    places_answered, required, profiles(display_name, avatar_path, diets, diets_known, budget), arrivals(status, eta)),
  time_options!time_options_plan_id_fkey(id, starts_at, ends_at, proposed_by, time_votes(user_id, answer)),
  place_options!place_options_plan_id_fkey(id, place_id, proposed_by, place_votes(user_id, answer),
    places(id, name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone,
      phone, booking_url, home, everybody, place_homes(address, latitude, longitude), place_hours(weekday, opens, closes)))
`;
export const ratingColumns =
  "plan_id, user_id, place_id, stars, comment, created_at, ate, lacked, eaten_at" as const;
export const RATINGS_AT_ONCE = 1000;
