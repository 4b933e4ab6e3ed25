/** Owns: reading people. */
import { queryOptions } from "@tanstack/react-query";
import { env } from "../../lib/backend/env.ts";
import { loadClient } from "../../lib/backend/load-client.ts";
import { parsed } from "../../lib/backend/parsed.ts";
import type { Face } from "../../ui/avatar.tsx";
import { type PrivateProfile, type Profile, privateProfileSchema, profileSchema } from "./schema.ts";
import { peopleWords } from "./words.ts";

export async function readProfile(id: string, signal: AbortSignal): Promise<Profile> {
  const supabase = await loadClient();
  return parsed(
    profileSchema,
    supabase
      .from("profiles")
      .select("id, display_name, avatar_path, diets, diets_known, budget, time_zone, is_guest")
      .eq("id", id)
      .abortSignal(signal)
      .single(),
  );
}

/** Only the person's own; nobody can read another's. */
export async function readStartPoint(id: string, signal: AbortSignal): Promise<PrivateProfile> {
  const supabase = await loadClient();
  return parsed(
    privateProfileSchema,
    supabase
      .from("private_profiles")
      .select("start_latitude, start_longitude, start_city, asked_at")
      .eq("id", id)
      .abortSignal(signal)
      .single(),
  );
}

export const peopleQueries = {
  profile: (id: string) =>
    queryOptions({ queryKey: ["profile", id], queryFn: ({ signal }) => readProfile(id, signal) }),
  startPoint: (id: string) =>
    queryOptions({ queryKey: ["start-point", id], queryFn: ({ signal }) => readStartPoint(id, signal) }),
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
