/** Owns: reading and writing the person's own usual times. Nobody can read another's. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { type Part, type UsualTime, usualTimeSchema } from "./usual.ts";

export const usualQueries = {
  mine: (me: string) =>
    reading(
      ["usual-times", me],
      async (signal) =>
        parsed(
          z.array(usualTimeSchema),
          supabase.from("usual_times").select("weekday, part, answer").abortSignal(signal),
        ),
      5 * 60_000,
    ),
};

/** Sets or clears (null) the usual answer for a part of a weekday. A repeated call changes nothing. @throws AppError */
export async function saveUsualTime(
  me: string,
  weekday: number,
  part: Part,
  answer: UsualTime["answer"] | null,
): Promise<void> {
  const table = supabase.from("usual_times");
  const { error } =
    answer === null
      ? await table.delete().eq("user_id", me).eq("weekday", weekday).eq("part", part)
      : await table.upsert({ user_id: me, weekday, part, answer });
  if (error) throw toAppError(error);
}
