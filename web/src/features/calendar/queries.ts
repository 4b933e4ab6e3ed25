/** Owns: fetching a calendar by its address, through the function that may: browsers may not read other sites. */
import { z } from "zod";
import { orThrow } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";

const answerSchema = z.union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)]);

/** The text at the address. Throws an AppError when it is not there or not to be read. */
export async function fetchCalendar(url: string): Promise<string> {
  return answerSchema.parse(orThrow(await supabase.functions.invoke("read-calendar", { body: { url } })));
}
