/** Owns: fetching a calendar by its address, through the function that may: browsers may not read other sites. */
import { FunctionsHttpError } from "@supabase/supabase-js";
import * as z from "zod/mini";
import { supabase } from "../../lib/backend/supabase.ts";
import { AppError, toAppError } from "../../lib/errors.ts";
import { calendarWords } from "./words.ts";

const answerSchema = z.object({ calendar: z.string() });
const refusalSchema = z.object({ code: z.string() });

/** The iCalendar text at the address. Throws an AppError when it is not there or not to be read. */
export async function fetchCalendar(url: string): Promise<string> {
  const { data, error } = await supabase.functions.invoke("read-calendar", { body: { url } });
  if (!error) return answerSchema.parse(data).calendar;
  if (error instanceof FunctionsHttpError) {
    const body: unknown = await (error.context as Response).json().catch(() => null);
    const code = refusalSchema.safeParse(body).data?.code ?? "";
    const said = calendarWords().refusals[code];
    if (said) throw new AppError("invalid", code, said.message, said.hint, error);
  }
  throw toAppError(error);
}
