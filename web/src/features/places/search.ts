/** Owns: what one looks for among places, as the address keeps it, so that back and reload do too. */
import { z } from "zod";
import { dietSchema } from "../people/schema.ts";

export const placesSearchSchema = z.object({
  /** The plan that a place is looked for. */
  plan: z.uuid().optional().catch(undefined),
  /** The router reads "1911" as a number. */
  q: z.coerce.string().max(80).optional().catch(undefined),
  diets: z.array(dietSchema).optional().catch(undefined),
  /** The highest price level. */
  price: z.coerce.number().int().min(1).max(3).optional().catch(undefined),
  /** Now, or one of the plan's times. */
  open: z
    .union([z.literal("now"), z.uuid()])
    .optional()
    .catch(undefined),
  saved: z.literal(true).optional().catch(undefined),
  /** On narrow screens; wide ones have list and map side by side. */
  view: z.literal("map").optional().catch(undefined),
});
export type PlacesSearch = z.infer<typeof placesSearchSchema>;

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
