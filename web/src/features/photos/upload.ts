/**
 * Owns: getting a picture from this device to the table. A picture is redrawn first, which drops EXIF and with
 * it where it was taken. Each has a name made here, so that a try whose answer was lost is not a second photo.
 */
import * as z from "zod/mini";
import { env } from "../../lib/backend/env.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { redraw } from "../../lib/device/image.ts";
import { AppError, orThrow, toAppError } from "../../lib/errors.ts";
import { photoWords } from "./words.ts";

/** What the bucket takes; others are not offered when choosing. */
export const pictureTypes = ["image/jpeg", "image/png", "image/webp", "image/avif"];
/** Sharp on a large screen, and a few hundred kilobytes. */
const LONGEST_SIDE = 1800;
/** What a phone's best camera makes is below; more than this is not a photo, and would exhaust the tab. */
const LARGEST_FILE = 50 * 1024 * 1024;

/** Why a file cannot become a photo, before anything is sent; null if it may. */
export function problemOf(file: File): AppError | null {
  const { notAPicture, tooLarge } = photoWords().problems;
  if (!file.type.startsWith("image/")) {
    return new AppError("invalid", "not_a_picture", notAPicture.message, notAPicture.hint);
  }
  if (file.size > LARGEST_FILE)
    return new AppError("invalid", "file_too_large", tooLarge.message, tooLarge.hint);
  return null;
}

export interface Upload {
  plan: string;
  me: string;
  file: File;
  /** Made once for each picture that is picked; its file's name. */
  id: string;
  caption: string;
  /** Called with the share that is up, from 0 to 1; not before the picture is redrawn. */
  onProgress?: (share: number) => void;
}

/** Returns the id of the photo's row. May be called again after any failure. Throws an AppError. */
export async function uploadPhoto({ plan, me, file, id, caption, onProgress }: Upload): Promise<string> {
  const problem = problemOf(file);
  if (problem) throw problem;
  const picture = await redraw(file, LONGEST_SIDE);
  const path = `${plan}/${me}/${id}.${picture.extension}`;
  await store(path, picture.blob, onProgress);
  const photos = () => supabase.from("photos");
  const row = { plan_id: plan, author_id: me, path, width: picture.width, height: picture.height, caption };
  const added = await photos().insert(row).select("id").single();
  // The row of a first try whose answer was lost.
  if (added.error?.code === "23505") {
    return orThrow(await photos().select("id").eq("path", path).single()).id;
  }
  if (added.error && toAppError(added.error).kind !== "network") {
    // Refused, the file would stay forever without anybody knowing of it.
    await supabase.storage.from("plan-photos").remove([path]);
  }
  return orThrow(added).id;
}

const refusal = z.partial(z.object({ statusCode: z.string(), error: z.string(), message: z.string() }));

/** Stores the file, telling how far it is: `fetch` cannot tell that of what is sent. */
async function store(path: string, blob: Blob, onProgress?: (share: number) => void): Promise<void> {
  const { data } = await supabase.auth.getSession();
  const token = data.session?.access_token ?? env.VITE_SUPABASE_PUBLISHABLE_KEY;
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", new URL(`/storage/v1/object/plan-photos/${path}`, env.VITE_SUPABASE_URL));
    request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("apikey", env.VITE_SUPABASE_PUBLISHABLE_KEY);
    request.setRequestHeader("content-type", blob.type);
    request.setRequestHeader("cache-control", "max-age=3600");
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total > 0 ? loaded / total : 0);
    request.onerror = () => reject(toAppError(new TypeError("Failed to fetch")));
    request.onload = () => {
      if (request.status < 300) return resolve();
      const refused = refusal.safeParse(safeJson(request.responseText)).data ?? {};
      // It is up already: the answer to an earlier try was lost.
      if (refused.statusCode === "409" || refused.error === "Duplicate") return resolve();
      // The database's own refusal; storage passes on its text only.
      if (refused.message === "too_many_photos") {
        return reject(toAppError({ code: "PT409", details: refused.message }));
      }
      reject(toAppError({ ...refused, status: Number(refused.statusCode ?? request.status) }));
    };
    request.send(blob);
  });
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
