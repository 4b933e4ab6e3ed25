/** Owns: the row types of a plan, and the validation of its forms. SQL has the same rules. */
import * as z from "zod/mini";
import { diets } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { text, whole } from "../../lib/rules.ts";
import { personSchema } from "../people/schema.ts";
import { placeSchema } from "../places/schema.ts";
import { answerSchema, arrivalStatusSchema, plusOnes, rsvpSchema } from "./answers.ts";
import { type PlanText, planColumns, planTexts } from "./fields.ts";
import { planWords } from "./words/plan.ts";

/** The limits of a table's seats, and of a meal's rating. */
export const capacity = z.nullable(whole(2, 20));
export const stars = whole(1, 5);

const vote = z.object({ user_id: z.uuid(), answer: answerSchema });

export const memberSchema = z.object({
  user_id: z.uuid(),
  role: z.enum(["host", "cohost", "guest"]),
  rsvp: rsvpSchema,
  plus_ones: plusOnes,
  waitlisted_at: z.nullable(z.string()),
  /** When they first answered a time or a place; the answers may be hidden. */
  answered_at: z.nullable(z.string()),
  /** Whether they have answered any time, and any place. */
  times_answered: z.boolean(),
  places_answered: z.boolean(),
  required: z.boolean(),
  joined_at: z.string(),
  profiles: z.nullable(personSchema),
  arrivals: z.nullable(z.object({ status: arrivalStatusSchema, eta: z.nullable(z.string()) })),
});
export type Member = z.infer<typeof memberSchema>;

export const timeOptionSchema = z.object({
  id: z.uuid(),
  starts_at: z.string(),
  ends_at: z.string(),
  proposed_by: z.nullable(z.uuid()),
  time_votes: z.array(vote),
});
export type TimeOption = z.infer<typeof timeOptionSchema>;

export const placeOptionSchema = z.object({
  id: z.uuid(),
  place_id: z.uuid(),
  proposed_by: z.nullable(z.uuid()),
  place_votes: z.array(vote),
  places: z.nullable(placeSchema),
});
export type PlaceOption = z.infer<typeof placeOptionSchema>;

export const planSchema = z.object({
  ...planColumns,
  /** The plan's current topics, and the revision that was read. */
  plan_channels: z.object({ epoch: z.int(), revision: z.int() }),
  plan_members: z.array(memberSchema),
  time_options: z.array(timeOptionSchema),
  place_options: z.array(placeOptionSchema),
});
export type Plan = z.infer<typeof planSchema>;

export const tripSchema = z.object({ place_id: z.uuid(), user_id: z.uuid(), minutes: z.int() });
export type Trip = z.infer<typeof tripSchema>;

export const ratingSchema = z.object({
  plan_id: z.uuid(),
  user_id: z.uuid(),
  /** Null for a meal whose place was never decided. */
  place_id: z.nullable(z.uuid()),
  stars,
  comment: z.string(),
  created_at: z.string(),
  /** The person's diets for which there was a proper meal, those for which there was none, and when they ate. */
  ate: z.array(z.enum(diets)),
  lacked: z.array(z.enum(diets)),
  eaten_at: z.nullable(z.string()),
});
export type Rating = z.infer<typeof ratingSchema>;

/** The parts of suggest-places' response that the app words itself: the codes, not the English. */
const reasonSchema = z.discriminatedUnion("code", [
  z.object({ code: z.literal("all_come"), total: z.number() }),
  z.object({
    code: z.literal("attendance"),
    yes: z.number(),
    total: z.number(),
    if_need_be: z.number(),
    silent: z.number(),
  }),
  z.object({ code: z.literal("required_out"), people: z.array(z.string()) }),
  z.object({ code: z.literal("all_safe") }),
  z.object({ code: z.literal("safe_as_known"), people: z.array(z.string()) }),
  z.object({
    code: z.literal("ate_here"),
    meals: z.array(z.object({ person: z.string(), diet: z.enum(diets), at: z.string() })),
  }),
  z.object({ code: z.literal("even_trips"), minutes: z.number(), known: z.number(), total: z.number() }),
  z.object({
    code: z.literal("longest_trip"),
    person: z.string(),
    minutes: z.number(),
    known: z.number(),
    total: z.number(),
  }),
  z.object({ code: z.literal("rated"), stars: z.number() }),
  z.object({ code: z.literal("all_liked"), stars: z.number(), at: z.string() }),
  z.object({ code: z.literal("photos"), count: z.number() }),
  z.object({ code: z.literal("hours_unknown") }),
]);
export const suggestionsSchema = z.object({
  suggestions: z.array(
    z.object({
      place_id: z.uuid(),
      name: z.string(),
      time_option_id: z.uuid(),
      reasons: z.array(reasonSchema),
    }),
  ),
});
export type Suggestion = z.infer<typeof suggestionsSchema>["suggestions"][number];

/** Words the error when it is read, in the language active then. */
export const ruleOf = (field: PlanText) =>
  text({
    ...planTexts[field],
    missing: () => planWords().edit.missing,
    long: () => planWords().edit.long(planTexts[field].max),
  });
export const title = ruleOf("title");
/** Words the error when it is read, in the language active then. */
export const ratingComment = text({ min: 0, max: 500, long: () => planWords().edit.long(500) });
