/**
 * Owns: what people's claims about a place's diets add up to, diet by diet. Pure. The database applies the
 * same rule.
 */
import { type Diet, diets, notKnownSafe } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import type { Claim } from "./schema.ts";

export interface DietStatus {
  diet: Diet;
  /** Confirmed by someone and disputed by nobody, or implied by such a diet. */
  safe: boolean;
  /** The diet that implies it, if nobody has made a claim about it directly. */
  from: Diet | null;
  /** Oldest first. */
  claims: Claim[];
  /** This person's own claim: true confirms, false disputes, null is none. */
  mine: boolean | null;
}

/**
 * Every diet in the vocabulary's order.
 * @param safe the diets that the database considers safe
 */
export function dietStatuses(safe: readonly Diet[], claims: readonly Claim[], me: string): DietStatus[] {
  const unknown = notKnownSafe(diets, safe);
  return diets.map((diet) => {
    const ofDiet = claims.filter((claim) => claim.diet === diet);
    const isSafe = !unknown.includes(diet);
    return {
      diet,
      safe: isSafe,
      from:
        isSafe && !safe.includes(diet)
          ? (safe.find((known) => notKnownSafe([diet], [known]).length === 0) ?? null)
          : null,
      claims: ofDiet,
      mine: ofDiet.find((claim) => claim.made_by === me)?.holds ?? null,
    };
  });
}
