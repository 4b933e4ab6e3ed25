/** Owns: captioning and removing photos. Each throws an AppError. */

import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";

export async function removePhoto(photo: { id: string; path: string }): Promise<void> {
  orThrow(await supabase.from("photos").delete().eq("id", photo.id));
  orThrow(await supabase.storage.from("plan-photos").remove([photo.path]));
}

export async function saveCaption(photo: string, caption: string): Promise<void> {
  orThrow(await supabase.from("photos").update({ caption: caption.trim() }).eq("id", photo));
}
