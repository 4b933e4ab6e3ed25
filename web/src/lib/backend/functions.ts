/** Owns: calling an edge function. */
import { FunctionsHttpError } from "@supabase/supabase-js";
import * as z from "zod/mini";
import { AppError, type ErrorKind, toAppError } from "../errors.ts";
import type { ErrorText } from "../words.ts";
import { supabase } from "./supabase.ts";

type Options = Parameters<typeof supabase.functions.invoke>[1];
const refusalSchema = z.object({ code: z.string(), message: z.string() });

/**
 * The function's answer, not parsed. A function refuses with a code of its own or of the database. Throws an AppError.
 * @param refusals the words for the function's own codes
 * @param kind the kind of the errors with these codes
 */
export async function invoke(
  name: string,
  options: Options,
  refusals: Readonly<Record<string, ErrorText>> = {},
  kind: ErrorKind = "conflict",
): Promise<unknown> {
  const { data, error } = await supabase.functions.invoke(name, options);
  if (!error) return data;
  if (!(error instanceof FunctionsHttpError)) throw toAppError(error);
  const { context } = error as { context: Response };
  const refused = refusalSchema.safeParse(await context.json().catch(() => null)).data;
  const said = refused && refusals[refused.code];
  if (said) throw new AppError(kind, refused.code, said.message, said.hint, error);
  if (!refused || context.status >= 500) throw toAppError(error);
  throw toAppError({
    code: `PT${context.status}`,
    details: refused.code,
    message: refused.message,
    hint: "",
  });
}
