/** Owns: reading circles. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { byName } from "../../lib/i18n/words.ts";
import { reading } from "../../lib/reading.ts";
import { personSchema } from "../people/schema.ts";

const memberSchema = z.object({
  user_id: z.uuid(),
  role: z.enum(["owner", "admin", "member"]),
  joined_at: z.string(),
  profiles: z.nullable(personSchema),
});
export type CircleMember = z.infer<typeof memberSchema>;

const circleSchema = z.object({ id: z.uuid(), name: z.string(), circle_members: z.array(memberSchema) });
export type Circle = z.infer<typeof circleSchema>;

const rank = { owner: 0, admin: 1, member: 2 } as const;

async function readCircles(signal: AbortSignal): Promise<Circle[]> {
  const rows = await parsed(
    z.array(circleSchema),
    supabase
      .from("circles")
      .select(
        "id, name, circle_members(user_id, role, joined_at, profiles(display_name, avatar_path, diets, diets_known, budget))",
      )
      .order("name")
      .abortSignal(signal),
  );
  return rows.map((circle) => ({
    ...circle,
    circle_members: circle.circle_members.toSorted(
      (a, b) =>
        rank[a.role] - rank[b.role] || byName(a.profiles?.display_name ?? "", b.profiles?.display_name ?? ""),
    ),
  }));
}

/** A place that a member put on the circle's list. */
const circlePlaceSchema = z.object({ place_id: z.uuid(), places: z.object({ name: z.string() }) });
export type CirclePlaceRow = z.infer<typeof circlePlaceSchema>;

export const circleQueries = {
  places: (circle: string) =>
    reading(
      ["circle-places", circle],
      (signal) =>
        parsed(
          z.array(circlePlaceSchema),
          supabase
            .from("circle_places")
            .select("place_id, places(name)")
            .eq("circle_id", circle)
            .order("put_at", { ascending: false })
            .abortSignal(signal),
        ),
      30_000,
    ),
  all: () => reading(["circles"], (signal) => readCircles(signal), 30_000),
};
