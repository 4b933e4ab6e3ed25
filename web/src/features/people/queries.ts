/** Owns: reading people. */
import { env } from "../../lib/backend/env.ts";
import { loadClient } from "../../lib/backend/load-client.ts";
import { parsed } from "../../lib/backend/parsed.ts";
import { reading } from "../../lib/reading.ts";
import type { Face } from "../../ui/avatar.tsx";
import { privateProfileSchema, profileSchema } from "./schema.ts";
import { peopleWords } from "./words.ts";

export const peopleQueries = {
  profile: (id: string) =>
    reading(["profile", id], async (signal) => {
      const mine = (await loadClient())
        .from("profiles")
        .select("id, display_name, avatar_path, diets, diets_known, budget, time_zone, is_guest");
      return parsed(profileSchema, mine.eq("id", id).abortSignal(signal).single());
    }),
  /** Only the person's own; nobody can read another's. */
  startPoint: (id: string) =>
    reading(["start-point", id], async (signal) => {
      const mine = (await loadClient())
        .from("private_profiles")
        .select("start_latitude, start_longitude, start_city, asked_at");
      return parsed(privateProfileSchema, mine.eq("id", id).abortSignal(signal).single());
    }),
};

/** A person's face; the avatars bucket is public, so its addresses need no signature. */
export function faceOf(
  id: string,
  person: { display_name: string; avatar_path: string | null } | null,
): Face {
  return {
    id,
    name: person?.display_name ?? peopleWords().someone,
    picture: person?.avatar_path
      ? encodeURI(`${env.VITE_SUPABASE_URL}/storage/v1/object/public/avatars/${person.avatar_path}`)
      : null,
  };
}
