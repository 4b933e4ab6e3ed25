/** Owns: a plan in small, as the database gives it for lists (view plan_cards): without votes, with the people drawn. */
import * as z from "zod/mini";
import { answerSchema, arrivalStatusSchema, plusOnes, rsvpSchema } from "../answers.ts";

/** What one needs to know of a person to draw their seat. */
export const seatedSchema = z.object({
  user_id: z.uuid(),
  display_name: z.nullable(z.string()),
  avatar_path: z.nullable(z.string()),
  rsvp: rsvpSchema,
  plus_ones: plusOnes,
  /** Whether they have answered; what they said may be hidden. */
  answered: z.boolean(),
  arrival: z.nullable(arrivalStatusSchema),
  /** While the plan is voted on: the best of their answers that this person may see, and how often they said yes. */
  answer: z.nullable(answerSchema),
  yes: z.int(),
});
export type Seated = z.infer<typeof seatedSchema>;

export const cardSchema = z.object({
  id: z.uuid(),
  circle_id: z.nullable(z.uuid()),
  title: z.string(),
  status: z.enum(["polling", "confirmed", "cancelled"]),
  time_zone: z.string(),
  vote_deadline: z.nullable(z.string()),
  created_at: z.string(),
  /** The chosen time and place, where there are any. */
  starts_at: z.nullable(z.string()),
  ends_at: z.nullable(z.string()),
  place_name: z.nullable(z.string()),
  /** How many times and places are on the plan. */
  times: z.int(),
  places: z.int(),
  /** The last of the times that this person has not answered; null where they have answered all. */
  unanswered_until: z.nullable(z.string()),
  /** Whether this person has answered any time, and has rated the meal. */
  voted: z.boolean(),
  rated: z.boolean(),
  /** In the order of the table. */
  people: z.array(seatedSchema),
  /** With the id, what the list is ordered by and paged with. */
  section: z.int(),
  position: z.int(),
});
export type Card = z.infer<typeof cardSchema>;
