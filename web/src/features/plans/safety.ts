/** Owns: the members a place is known to be safe for, and how its hours fit the plan's times. Pure. */

import { type Diet, notKnownSafe } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { openDuring } from "../../../../supabase/functions/_shared/ranking/hours.ts";
import { saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { Place } from "../places/schema.ts";
import type { Member, TimeOption } from "./schema.ts";

export interface Safety {
  /** Ids of people with needs, all of which the place is known to meet. */
  safe: string[];
  /** People with needs that the place is not known to meet, and which. */
  unknown: { person: string; diets: Diet[] }[];
  /** People who have not said what they eat. */
  unasked: string[];
}

/** In the members' order. Members who declined, or who eat everything, are in no list. */
export function safetyOf(place: Pick<Place, "safe_diets">, members: readonly Member[]): Safety {
  const safety: Safety = { safe: [], unknown: [], unasked: [] };
  for (const { user_id, profiles } of members.filter((member) => !saidNo(member))) {
    const needs = profiles?.diets ?? [];
    if (needs.length === 0 && profiles?.diets_known === false) safety.unasked.push(user_id);
    if (needs.length === 0) continue;
    const diets = notKnownSafe(needs, place.safe_diets);
    if (diets.length === 0) safety.safe.push(user_id);
    else safety.unknown.push({ person: user_id, diets });
  }
  return safety;
}

/** The times at which a place is closed, or null when its hours are not known. */
export function closedTimes<Time extends Pick<TimeOption, "starts_at" | "ends_at">>(
  place: Pick<Place, "place_hours" | "time_zone">,
  times: readonly Time[],
): Time[] | null {
  if (place.place_hours.length === 0) return null;
  return times.filter(
    (time) => openDuring(place.place_hours, place.time_zone, time.starts_at, time.ends_at) === false,
  );
}
