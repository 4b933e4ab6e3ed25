/** Owns: what one looks for among places, as the address keeps it, so that back and reload do too. */
import { type Diet, diets } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { oneOf, uuid } from "../../lib/search.ts";

export interface PlacesSearch {
  /** The plan that a place is looked for. */
  plan?: string | undefined;
  q?: string | undefined;
  diets?: Diet[] | undefined;
  /** The highest price level. */
  price?: number | undefined;
  /** Now, or the id of one of the plan's times. */
  open?: string | undefined;
  saved?: true | undefined;
  /** On narrow screens; wide ones have list and map side by side. */
  view?: "map" | undefined;
}

const LONGEST_WORDS = 80;
const HIGHEST_PRICE_ASKED = 3;

/**
 * What an address says, of whatever stands in it; the router reads "1911" as a number. Each key is named, also
 * where it says nothing: the router would leave what stands in the address there instead.
 */
export function readPlacesSearch(search: Record<string, unknown>): PlacesSearch {
  const { plan, q, price, open, saved, view } = search;
  const words = typeof q === "string" || typeof q === "number" ? String(q) : "";
  const level = Number(price);
  const wanted = Array.isArray(search.diets)
    ? diets.filter((diet) => (search.diets as unknown[]).includes(diet))
    : [];
  return {
    plan: uuid(plan),
    q: words !== "" && words.length <= LONGEST_WORDS ? words : undefined,
    diets: wanted.length > 0 ? wanted : undefined,
    price: Number.isInteger(level) && level >= 1 && level <= HIGHEST_PRICE_ASKED ? level : undefined,
    open: open === "now" ? open : uuid(open),
    saved: saved === true ? true : undefined,
    view: oneOf(["map"], view),
  };
}

/** Without what is empty, so that the address says only what was chosen. */
export function tidy(search: PlacesSearch): PlacesSearch {
  const { plan, q, diets, price, open, saved, view } = search;
  return {
    ...(plan ? { plan } : {}),
    ...(q ? { q } : {}),
    ...(diets && diets.length > 0 ? { diets } : {}),
    ...(price ? { price } : {}),
    ...(open ? { open } : {}),
    ...(saved ? { saved } : {}),
    ...(view ? { view } : {}),
  };
}

/** How many filters are set, the words not counted. */
export function filtersSet({ diets, price, open, saved }: PlacesSearch): number {
  return (diets?.length ?? 0) + (price ? 1 : 0) + (open ? 1 : 0) + (saved ? 1 : 0);
}
