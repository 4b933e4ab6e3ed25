/** Owns: fetching a calendar by its address, through the function that may: browsers may not read other sites. */
import * as z from "zod/mini";
import { invoke } from "../../lib/backend/functions.ts";
import { calendarWords } from "./words.ts";

const answerSchema = z.object({ calendar: z.string() });

/** The iCalendar text at the address. Throws an AppError when it is not there or not to be read. */
export async function fetchCalendar(url: string): Promise<string> {
  const answer = await invoke("read-calendar", { body: { url } }, calendarWords().refusals, "invalid");
  return answerSchema.parse(answer).calendar;
}
