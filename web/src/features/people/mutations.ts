/** Owns: changing the person's own profile. Each throws an AppError. */
import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { removePictures } from "../../lib/backend/avatars.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { redraw } from "../../lib/device/image.ts";
import { orThrow } from "../../lib/errors.ts";

/** Faces are shown at 72 px at most; this is enough for a screen of any density. */
const AVATAR_SIDE = 320;

export interface ProfileChange {
  display_name: string;
  diets: Diet[];
  diets_known: boolean;
  budget: number;
  time_zone: string;
}

export async function saveProfile(id: string, change: ProfileChange): Promise<void> {
  orThrow(await supabase.from("profiles").update(change).eq("id", id));
}

/** Stores what the person eats; an empty list means everything. */
export async function saveDiets(id: string, diets: Diet[]): Promise<void> {
  orThrow(await supabase.from("profiles").update({ diets, diets_known: true }).eq("id", id));
}

/** Stores that the person was asked, so that they are asked once. */
export async function markAsked(id: string): Promise<void> {
  orThrow(
    await supabase.from("private_profiles").update({ asked_at: new Date().toISOString() }).eq("id", id),
  );
}

export async function saveStartPoint(
  id: string,
  start: { latitude: number; longitude: number } | { city: string } | null,
): Promise<void> {
  const point = start && "latitude" in start ? start : null;
  orThrow(
    await supabase
      .from("private_profiles")
      .update({
        start_latitude: point?.latitude ?? null,
        start_longitude: point?.longitude ?? null,
        start_city: start && "city" in start ? start.city : null,
      })
      .eq("id", id),
  );
}

/**
 * Stores a new picture under a new name, so that no cache shows the old one, points the profile to it, and removes the
 * old one.
 */
export async function saveAvatar(id: string, file: Blob): Promise<void> {
  const picture = await redraw(file, AVATAR_SIDE);
  const path = `${id}/${crypto.randomUUID()}.${picture.extension}`;
  orThrow(
    await supabase.storage.from("avatars").upload(path, picture.blob, { contentType: picture.blob.type }),
  );
  orThrow(await supabase.from("profiles").update({ avatar_path: path }).eq("id", id));
  // If it cannot be removed now, no profile shows it, and the next change removes it.
  await removePictures(id, path).catch(() => undefined);
}
