/** Owns: adding and removing photos. */
import { orThrow, toAppError } from "../../lib/errors.ts";
import { redraw } from "../../lib/image.ts";
import { supabase } from "../../lib/supabase.ts";

/** Sharp on a large screen, and a few hundred kilobytes. */
const LONGEST_SIDE = 1800;

/** Redraws the picture (which drops EXIF and GPS), stores it, then makes it known to the table. */
export async function addPhoto(plan: string, me: string, file: Blob, caption: string): Promise<void> {
  const picture = await redraw(file, LONGEST_SIDE);
  const path = `${plan}/${me}/${crypto.randomUUID()}.${picture.extension}`;
  const bucket = supabase.storage.from("plan-photos");
  orThrow(await bucket.upload(path, picture.blob, { contentType: picture.blob.type }));
  const { error } = await supabase.from("photos").insert({
    plan_id: plan,
    author_id: me,
    path,
    width: picture.width,
    height: picture.height,
    caption: caption.trim(),
  });
  if (error) {
    // A file that nobody knows of would stay forever.
    await bucket.remove([path]);
    throw toAppError(error);
  }
}

export async function removePhoto(photo: { id: string; path: string }): Promise<void> {
  const { error } = await supabase.from("photos").delete().eq("id", photo.id);
  if (error) throw toAppError(error);
  orThrow(await supabase.storage.from("plan-photos").remove([photo.path]));
}
