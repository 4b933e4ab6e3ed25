/** Owns: the possible answers: to a time or a place, to the plan, and about being on the way. */
import * as z from "zod/mini";
import { whole } from "../../lib/rules.ts";

/** The answers to a time or a place, best first: every list of answers uses this order. */
export const answers = ["yes", "if_need_be", "no"] as const;
export const answerSchema = z.enum(answers);
export type Answer = z.infer<typeof answerSchema>;
/** Option id to answer; null withdraws the answer. */
export type Ballot = Record<string, Answer | null>;
export const rsvpSchema = z.enum(["pending", "going", "maybe", "declined", "waitlisted"]);
export type Rsvp = z.infer<typeof rsvpSchema>;
export const arrivalStatusSchema = z.enum(["not_left", "on_the_way", "arrived"]);
export type ArrivalStatus = z.infer<typeof arrivalStatusSchema>;
/** How many people someone can bring. */
export const plusOnes = whole(0, 5);
