/** Owns: removing a person's stored pictures. */
import { orThrow } from "../errors.ts";
import { supabase } from "./supabase.ts";

/** Removes all pictures of this person except the one at this path. Throws an AppError. */
export async function removePictures(id: string, except?: string): Promise<void> {
  const bucket = supabase.storage.from("avatars");
  const paths = orThrow(await bucket.list(id)).map(({ name }) => `${id}/${name}`);
  const removed = paths.filter((path) => path !== except);
  if (removed.length > 0) orThrow(await bucket.remove(removed));
}
