/** Owns: the members a place is known to be safe for, and who ate there before. Pure. */

import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import {
  type Eaten,
  pastRating,
  unconfirmedFor,
} from "../../../../supabase/functions/_shared/ranking/past_meals.ts";
import { saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import type { Place } from "../places/schema.ts";
import type { Member, Rating } from "./schema.ts";

export interface Safety {
  /** Ids of people with needs, all of which the place is known to meet. */
  safe: string[];
  /** People with needs that the place is not known to meet, and which. */
  unknown: { person: string; diets: readonly Diet[] }[];
  /** What people ate there by a diet that the place is not confirmed for. */
  eaten: (Eaten & { person: string })[];
  /** People who have not said what they eat. */
  unasked: string[];
}

/** A place without an id is new: nobody ate there. */
export type JudgedPlace = Pick<Place, "safe_diets"> & Partial<Pick<Place, "id">>;

/** In the members' order. Members who declined, or who eat everything, are in no list. */
export function safetyOf(place: JudgedPlace, members: readonly Member[], ratings: readonly Rating[]): Safety {
  const safety: Safety = { safe: [], unknown: [], eaten: [], unasked: [] };
  const here = ratings.filter(({ place_id }) => place_id !== null && place_id === place.id).map(pastRating);
  for (const { user_id, profiles } of members.filter((member) => !saidNo(member))) {
    const needs = profiles?.diets ?? [];
    if (needs.length === 0 && profiles?.diets_known === false) safety.unasked.push(user_id);
    if (needs.length === 0) continue;
    const own = here.filter(({ personId }) => personId === user_id);
    const { eaten, unknown } = unconfirmedFor(needs, place.safe_diets, own);
    if (unknown.length > 0) safety.unknown.push({ person: user_id, diets: unknown });
    else if (eaten.length === 0) safety.safe.push(user_id);
    safety.eaten.push(...eaten.map((meal) => ({ ...meal, person: user_id })));
  }
  return safety;
}
