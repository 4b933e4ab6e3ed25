/** Owns: reading earlier ratings where a screen says for whom a place is known to be safe. */
import { useQuery } from "@tanstack/react-query";
import { planQueries } from "./queries.ts";
import { type JudgedPlace, type Safety, safetyOf } from "./safety.ts";
import type { Member, Rating } from "./schema.ts";

const none: readonly Rating[] = [];

/** The ratings of the person's own tables; until they are loaded none, so that a warning stands rather than not. */
export function useRatings(enabled = true): readonly Rating[] {
  return useQuery({ ...planQueries.ratings(), enabled }).data ?? none;
}

/** Ratings are read only where they could lift a warning. */
export function useSafety(place: JudgedPlace | null, members: readonly Member[]): Safety {
  const judged = place ?? { safe_diets: [] };
  const people = place ? members : [];
  const ratings = useRatings(safetyOf(judged, people, none).unknown.length > 0);
  return safetyOf(judged, people, ratings);
}
