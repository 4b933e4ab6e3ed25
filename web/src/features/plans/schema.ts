/** Owns: the rows of a plan as they are read, and what its forms accept. The same rules stand in SQL. */
import { z } from "zod";
import { dietSchema, personSchema } from "../people/schema.ts";

export const answerSchema = z.enum(["yes", "if_need_be", "no"]);
export type Answer = z.infer<typeof answerSchema>;
export const rsvpSchema = z.enum(["pending", "going", "maybe", "declined", "waitlisted"]);
export type Rsvp = z.infer<typeof rsvpSchema>;
export const arrivalStatusSchema = z.enum(["not_left", "on_the_way", "arrived"]);

const vote = z.object({ user_id: z.uuid(), answer: answerSchema });

export const memberSchema = z.object({
  user_id: z.uuid(),
  role: z.enum(["host", "cohost", "guest"]),
  rsvp: rsvpSchema,
  plus_ones: z.number().int(),
  waitlisted_at: z.string().nullable(),
  joined_at: z.string(),
  profiles: personSchema.nullable(),
  arrivals: z.object({ status: arrivalStatusSchema, eta: z.string().nullable() }).nullable(),
});
export type Member = z.infer<typeof memberSchema>;

export const timeOptionSchema = z.object({
  id: z.uuid(),
  starts_at: z.string(),
  ends_at: z.string(),
  proposed_by: z.uuid().nullable(),
  time_votes: z.array(vote),
});
export type TimeOption = z.infer<typeof timeOptionSchema>;

export const placeSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  about: z.string(),
  cuisines: z.array(z.string()),
  address: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  price: z.number().int(),
  safe_diets: z.array(dietSchema),
  time_zone: z.string(),
  place_hours: z.array(z.object({ weekday: z.number().int(), opens: z.string(), closes: z.string() })),
});
export type Place = z.infer<typeof placeSchema>;

export const placeOptionSchema = z.object({
  id: z.uuid(),
  place_id: z.uuid(),
  proposed_by: z.uuid().nullable(),
  place_votes: z.array(vote),
  places: placeSchema.nullable(),
});
export type PlaceOption = z.infer<typeof placeOptionSchema>;

export const planSchema = z.object({
  id: z.uuid(),
  circle_id: z.uuid().nullable(),
  title: z.string(),
  note: z.string(),
  status: z.enum(["polling", "confirmed", "cancelled"]),
  time_zone: z.string(),
  vote_deadline: z.string().nullable(),
  capacity: z.number().int().nullable(),
  guests_may_propose: z.boolean(),
  results_hidden: z.boolean(),
  chosen_time_id: z.uuid().nullable(),
  chosen_place_id: z.uuid().nullable(),
  created_at: z.string(),
  plan_members: z.array(memberSchema),
  time_options: z.array(timeOptionSchema),
  place_options: z.array(placeOptionSchema),
});
export type Plan = z.infer<typeof planSchema>;

export const tripSchema = z.object({ place_id: z.uuid(), user_id: z.uuid(), minutes: z.number().int() });
export type Trip = z.infer<typeof tripSchema>;

export const ratingSchema = z.object({
  plan_id: z.uuid(),
  user_id: z.uuid(),
  place_id: z.uuid(),
  stars: z.number().int(),
  comment: z.string(),
});
export type Rating = z.infer<typeof ratingSchema>;

/** What the function suggest-places answers. */
const words = { reasons: z.array(z.string()), compromises: z.array(z.string()) };
export const suggestionsSchema = z.object({
  suggestions: z.array(
    z.object({ place_id: z.uuid(), name: z.string(), time_option_id: z.uuid(), ...words }),
  ),
});
export type Suggestion = z.infer<typeof suggestionsSchema>["suggestions"][number];

export const title = z
  .string()
  .trim()
  .min(1, "Give the plan a name.")
  .max(80, "Eighty characters is the most a ticket holds.");
export const note = z.string().trim().max(1000, "A note can have a thousand characters.");
