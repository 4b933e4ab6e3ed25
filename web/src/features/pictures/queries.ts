/**
 * Owns: reading the photos of meals at places, from this person's plans. One request returns them for all places. The
 * bucket is private, so photos have signed URLs.
 */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";

const placePhotosSchema = z.object({
  place_id: z.uuid(),
  plan_title: z.string(),
  author_id: z.nullable(z.uuid()),
  /** The number of this author's photos of one meal. */
  photos: z.int(),
  newest_at: z.string(),
  /** The newest one's file and caption. */
  path: z.string(),
  caption: z.string(),
});
export type PlacePhotos = z.infer<typeof placePhotosSchema>;

const STALE_MS = 5 * 60_000;
const SIGNED_SECONDS = 3600;
/** One row is one person's photos of one meal. */
const ROWS_AT_ONCE = 1000;
/** The most pictures that are signed at once; older ones are drawn plates. */
const PICTURES_AT_ONCE = 200;

/** The newest photo of each place, by the place's id. */
export function newestByPlace(rows: readonly PlacePhotos[]): Map<string, PlacePhotos> {
  const newest = new Map<string, PlacePhotos>();
  for (const row of rows) {
    const known = newest.get(row.place_id);
    if (!known || Date.parse(row.newest_at) > Date.parse(known.newest_at)) newest.set(row.place_id, row);
  }
  return newest;
}

async function signPictures(paths: readonly string[]): Promise<Record<string, string>> {
  const signed = orThrow(
    await supabase.storage.from("plan-photos").createSignedUrls([...paths], SIGNED_SECONDS),
  );
  return Object.fromEntries(
    signed.flatMap(({ path, signedUrl }) => (path && signedUrl ? [[path, signedUrl]] : [])),
  );
}

export const pictureQueries = {
  all: () =>
    reading(
      ["place-photos"],
      (signal) =>
        parsed(
          z.array(placePhotosSchema),
          supabase
            .from("place_photos")
            .select("place_id, plan_title, author_id, photos, newest_at, path, caption")
            .order("newest_at", { ascending: false })
            .limit(ROWS_AT_ONCE)
            .abortSignal(signal),
        ),
      STALE_MS,
    ),
  /** Signed URLs by path. All places share one request. */
  addresses: (newest: ReadonlyMap<string, PlacePhotos> | undefined) => {
    const paths = [...(newest?.values() ?? [])].slice(0, PICTURES_AT_ONCE).map(({ path }) => path);
    return queryOptions({
      queryKey: ["place-photo-addresses", paths],
      queryFn: () => signPictures(paths),
      staleTime: (SIGNED_SECONDS / 2) * 1000,
    });
  },
};

/** The key of a photo's thumbnail, which is stored on this device, so that it is loaded once and shown offline. */
export const thumbnailKey = (path: string) => ["place-photo", path];
