/** Owns: what the words on a place's diets come to, diet by diet. Pure. The database settles by the same rule. */
import { type Diet, diets, notKnownSafe } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import type { Claim } from "./schema.ts";

export interface DietStanding {
  diet: Diet;
  /** Confirmed by somebody and doubted by nobody, or concluded from such a one. */
  safe: boolean;
  /** The diet that it is concluded from, where nobody has spoken of it by itself. */
  from: Diet | null;
  /** The earliest first. */
  claims: Claim[];
  /** What this person has said: true is confirmed, false is doubted, null is nothing. */
  mine: boolean | null;
}

/** Every diet in the vocabulary's order. @param safe what the database calls safe */
export function standingsOf(safe: readonly Diet[], claims: readonly Claim[], me: string): DietStanding[] {
  const unknown = notKnownSafe(diets, safe);
  return diets.map((diet) => {
    const said = claims.filter((claim) => claim.diet === diet);
    const isSafe = !unknown.includes(diet);
    return {
      diet,
      safe: isSafe,
      from:
        isSafe && !safe.includes(diet)
          ? (safe.find((known) => notKnownSafe([diet], [known]).length === 0) ?? null)
          : null,
      claims: said,
      mine: said.find((claim) => claim.made_by === me)?.holds ?? null,
    };
  });
}
