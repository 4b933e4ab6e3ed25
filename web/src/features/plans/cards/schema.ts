/**
 * Owns: a plan's summary as the database returns it for lists (view plan_cards): without votes, with the
 * people's seats.
 */
import * as z from "zod/mini";
import { nextSteps } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { answerSchema, arrivalStatusSchema, plusOnes, rsvpSchema } from "../answers.ts";

/** The data of a person's seat. */
export const seatedSchema = z.object({
  user_id: z.uuid(),
  display_name: z.nullable(z.string()),
  avatar_path: z.nullable(z.string()),
  role: z.enum(["host", "cohost", "guest"]),
  rsvp: rsvpSchema,
  plus_ones: plusOnes,
  /** Whether they have answered a time or a place; the answers themselves may be hidden. */
  answered: z.boolean(),
  arrival: z.nullable(arrivalStatusSchema),
  /** Their answer to the chosen time; while voting, their best that this person may see. */
  answer: z.nullable(answerSchema),
  /** While voting: to how many times they said yes. */
  yes: z.int(),
  /** Their answer to the chosen place. */
  place_answer: z.nullable(answerSchema),
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
  /** The chosen time and place, if any. */
  starts_at: z.nullable(z.string()),
  ends_at: z.nullable(z.string()),
  place_name: z.nullable(z.string()),
  /** Number of times and places on the plan. */
  times: z.int(),
  places: z.int(),
  /** What the plan waits for from this person. */
  next: z.nullable(z.enum(nextSteps)),
  /** How many times this person has answered. */
  voted: z.int(),
  /** Whether the hosts have changed the choice since the vote. */
  moved: z.boolean(),
  /** In the table's order. */
  people: z.array(seatedSchema),
  /** With the id, the key for ordering and paging. */
  section: z.int(),
  position: z.int(),
});
export type Card = z.infer<typeof cardSchema>;
