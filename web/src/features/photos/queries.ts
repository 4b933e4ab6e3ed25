/** Owns: reading a plan's photos. The bucket is private: pictures are shown by addresses that are signed. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";

export const photoSchema = z.object({
  id: z.uuid(),
  plan_id: z.uuid(),
  author_id: z.nullable(z.uuid()),
  path: z.string(),
  width: z.int(),
  height: z.int(),
  caption: z.string(),
  created_at: z.string(),
});
export type Photo = z.infer<typeof photoSchema> & {
  /** Signed, or null if the file is gone. */ url: string | null;
};

/** Long enough to look at; the list is read again before it ends. */
const SIGNED_SECONDS = 3600;

export async function readPhotos(plan: string, signal: AbortSignal): Promise<Photo[]> {
  const rows = await parsed(
    z.array(photoSchema),
    supabase
      .from("photos")
      .select("id, plan_id, author_id, path, width, height, caption, created_at")
      .eq("plan_id", plan)
      .order("created_at", { ascending: false })
      .limit(100)
      .abortSignal(signal),
  );
  if (rows.length === 0) return [];
  const signed = orThrow(
    await supabase.storage.from("plan-photos").createSignedUrls(
      rows.map((row) => row.path),
      SIGNED_SECONDS,
    ),
  );
  const urls = new Map(signed.map((entry) => [entry.path, entry.signedUrl]));
  return rows.map((row) => ({ ...row, url: urls.get(row.path) || null }));
}

export const photoQueries = {
  ofPlan: (plan: string) =>
    reading(["photos", plan], (signal) => readPhotos(plan, signal), (SIGNED_SECONDS / 2) * 1000),
};
