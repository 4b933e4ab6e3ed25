/** Owns: what can wait in the outbox. It is read back from the device, so it is parsed like any other row. */
import * as z from "zod/mini";
import { answerSchema, rsvpSchema } from "../plans/schema.ts";

const ballot = z.record(z.string(), z.nullable(answerSchema));

/** Something a person did. Each is such that doing it twice is doing it once. */
export const deedSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("message"),
    plan_id: z.uuid(),
    body: z.string(),
    reply_to: z.nullable(z.uuid()),
    photo_id: z.nullable(z.uuid()),
  }),
  z.object({ kind: z.literal("votes"), plan_id: z.uuid(), times: ballot, places: ballot }),
  z.object({ kind: z.literal("rsvp"), plan_id: z.uuid(), answer: rsvpSchema, plus_ones: z.int() }),
]);
export type Deed = z.infer<typeof deedSchema>;

export const entrySchema = z.object({
  /** Made here; of a message it is the client id. */
  id: z.uuid(),
  person: z.uuid(),
  /** Milliseconds since 1970; one person's entries are sent in this order. */
  madeAt: z.number(),
  deed: deedSchema,
  /** Why the server would not take it; it then waits for its person, not for the connection. */
  refused: z.nullable(z.object({ code: z.string(), message: z.string(), hint: z.string() })),
});
export type Entry = z.infer<typeof entrySchema>;
