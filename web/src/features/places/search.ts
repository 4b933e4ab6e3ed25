/** Owns: the filters for places in the URL, so that back and reload restore them. */
import { type Diet, diets } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { oneOf, uuid } from "../../lib/search.ts";

export interface PlacesSearch {
  /** The plan to find a place for. */
  plan?: string | undefined;
  q?: string | undefined;
  diets?: Diet[] | undefined;
  /** The maximum price level. */
  price?: number | undefined;
  /** Now, or the id of one of the plan's times. */
  open?: string | undefined;
  saved?: true | undefined;
  /** For narrow screens; wide ones have list and map side by side. */
  view?: "map" | undefined;
}

const LONGEST_WORDS = 80;
const HIGHEST_PRICE_ASKED = 3;

/**
 * The filters in a URL, from any content; the router parses "1911" as a number. Each key is named, even if
 * undefined: otherwise the router would keep the URL's value.
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

/** Without empty values, so that the URL has only what was chosen. */
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

/** Number of active filters, not counting the words. */
export function filtersSet({ diets, price, open, saved }: PlacesSearch): number {
  return (diets?.length ?? 0) + (price ? 1 : 0) + (open ? 1 : 0) + (saved ? 1 : 0);
}
