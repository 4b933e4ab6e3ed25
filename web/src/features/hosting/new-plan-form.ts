/** Owns: the values of the new plan's form, and which of them are still valid when a draft is restored. */
import * as z from "zod/mini";
import { type NewPlace, newPlaceSchema } from "../places/schema.ts";
import { isOver, isWhole, type LocalTime } from "./plan-defaults.ts";
import { type Rules, usualRules } from "./rules.ts";

export interface NewPlanDraft {
  title: string;
  note: string;
  circle: string | null;
  /** Null means everyone in the circle. */
  people: string[] | null;
  times: LocalTime[];
  places: string[];
  /** Places to add by their names. */
  newPlaces: NewPlace[];
  rules: Rules;
}

const options = Object.keys(usualRules.options) as (keyof Rules["options"])[];
const ids = z.array(z.string());

export const newPlanDraftSchema: z.ZodMiniType<NewPlanDraft> = z.object({
  title: z.string(),
  note: z.string(),
  circle: z.nullable(z.string()),
  people: z.nullable(ids),
  times: z.array(z.object({ date: z.string(), from: z.string(), until: z.string() })),
  places: ids,
  // Drafts of earlier versions lack it.
  newPlaces: z._default(z.array(newPlaceSchema), []),
  rules: z.object({
    until: z.nullable(z.union([z.number(), z.literal("exact")])),
    date: z.string(),
    clock: z.string(),
    capacity: z.nullable(z.number()),
    // Drafts of earlier versions lack it, or some of the options.
    options: z.pipe(
      z._default(z.partialRecord(z.enum(options), z.boolean()), {}),
      z.transform((chosen) => ({ ...usualRules.options, ...chosen })),
    ),
  }),
});

/** Without past times; incomplete ones stay. */
export function withoutPastTimes(draft: NewPlanDraft, zone: string, now: number): NewPlanDraft {
  return { ...draft, times: draft.times.filter((time) => !isWhole(time) || !isOver(time, zone, now)) };
}
