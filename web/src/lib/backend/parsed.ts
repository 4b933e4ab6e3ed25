/** Owns: checking what a service returns. */
import type * as z from "zod/mini";
import { orThrow } from "../errors.ts";

/** The data of a result, as the schema has it; throws its error as an AppError. */
export async function parsed<Schema extends z.ZodMiniType>(
  schema: Schema,
  answer: PromiseLike<{ data: unknown; error: unknown }>,
): Promise<z.infer<Schema>> {
  return schema.parse(orThrow(await answer));
}
