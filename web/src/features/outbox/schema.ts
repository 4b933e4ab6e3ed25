/** Owns: the entries that can wait in the outbox. They are read back from the device, so they are parsed like any other row. */
import * as z from "zod/mini";
import { answerSchema, arrivalStatusSchema, rsvpSchema } from "../plans/answers.ts";

const ballot = z.record(z.string(), z.nullable(answerSchema));

/** A change that a person made. Each is idempotent: sending it twice has the effect of sending it once. */
export const mutationSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("message"),
    plan_id: z.uuid(),
    body: z.string(),
    reply_to: z.nullable(z.uuid()),
    photo_id: z.nullable(z.uuid()),
  }),
  z.object({ kind: z.literal("votes"), plan_id: z.uuid(), times: ballot, places: ballot }),
  z.object({ kind: z.literal("rsvp"), plan_id: z.uuid(), answer: rsvpSchema, plus_ones: z.int() }),
  /** An objection to the proposal whose window ends then. */
  z.object({ kind: z.literal("veto"), plan_id: z.uuid(), reason: z.string(), until: z.string() }),
  /** `eta` is an instant, so that minutes on the way count while it waits. */
  z.object({
    kind: z.literal("arrival"),
    plan_id: z.uuid(),
    status: arrivalStatusSchema,
    eta: z.nullable(z.string()),
  }),
]);
export type QueuedMutation = z.infer<typeof mutationSchema>;

export const entrySchema = z.object({
  /** Made here; of a message it is the client id. */
  id: z.uuid(),
  person: z.uuid(),
  /** Milliseconds since 1970; one person's entries are sent in this order. */
  madeAt: z.number(),
  mutation: mutationSchema,
  /** Why the server would not take it; it then waits for its person, not for the connection. */
  refused: z.nullable(z.object({ code: z.string(), message: z.string(), hint: z.string() })),
});
export type Entry = z.infer<typeof entrySchema>;

/** Reads an entry from the device; null when this version cannot send it. */
export function readEntry(stored: unknown): Entry | null {
  return entrySchema.safeParse(stored).data ?? null;
}
