/** Owns: changing circles. Each is one database function and throws an AppError. */

import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";

/** Returns the new circle's id. */
export const createCircle = (name: string) => rpc("create_circle", { name });

export const setCircleRole = (circle: string, person: string, role: "owner" | "admin" | "member") =>
  rpc("set_circle_role", { circle, person, role });

export const removeFromCircle = (circle: string, person: string) =>
  rpc("remove_circle_member", { circle, person });

export async function renameCircle(circle: string, name: string): Promise<void> {
  orThrow(await supabase.from("circles").update({ name }).eq("id", circle));
}

export async function deleteCircle(circle: string): Promise<void> {
  orThrow(await supabase.from("circles").delete().eq("id", circle));
}

/** Adds a place to the circle's list; adding it twice changes nothing. */
export async function addCirclePlace(circle: string, place: string): Promise<void> {
  const { error } = await supabase.from("circle_places").insert({ circle_id: circle, place_id: place });
  // Another member has added it already.
  if (error && error.code !== "23505") throw toAppError(error);
}

export async function removeCirclePlace(circle: string, place: string): Promise<void> {
  orThrow(await supabase.from("circle_places").delete().eq("circle_id", circle).eq("place_id", place));
}
