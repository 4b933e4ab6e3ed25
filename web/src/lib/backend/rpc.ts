/** Owns: calling a function of the database. */
import { orThrow } from "../errors.ts";
import type { Database } from "./database.types.ts";
import { loadClient } from "./load-client.ts";

type Functions = Database["public"]["Functions"];

/** Its arguments; for a function without any, none. */
type Args<Name extends keyof Functions> =
  Functions[Name]["Args"] extends Record<PropertyKey, never> ? [] : [Functions[Name]["Args"]];

/** The function's result; throws its error as an AppError. */
export async function rpc<Name extends keyof Functions>(
  name: Name,
  ...args: Args<Name>
): Promise<Functions[Name]["Returns"]> {
  const supabase = await loadClient();
  return orThrow(await supabase.rpc(name, args[0]));
}
