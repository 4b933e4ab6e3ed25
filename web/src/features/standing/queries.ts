/** Owns: reading and changing a circle's standing dinners. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { reading } from "../../lib/reading.ts";

export const rhythms = ["weekly", "biweekly", "monthly"] as const;
export const rotations = ["longest_ago", "joining"] as const;

const standingSchema = z.object({
  id: z.uuid(),
  title: z.string(),
  rhythm: z.enum(rhythms),
  rotation: z.enum(rotations),
  /** Local dates and time: "2026-12-03", "19:30:00". */
  first_on: z.string(),
  next_on: z.string(),
  starts_at: z.string(),
  minutes: z.int(),
  time_zone: z.string(),
  paused: z.boolean(),
  next_host: z.nullable(z.uuid()),
});
export type StandingDinner = z.infer<typeof standingSchema>;

const keyOf = (circle: string) => ["circle", circle, "standing"] as const;

export const standingQueries = {
  of: (circle: string) =>
    reading(keyOf(circle), async (signal) =>
      parsed(
        z.array(standingSchema),
        supabase
          .from("standing_dinners")
          .select(
            "id, title, rhythm, rotation, first_on, next_on, starts_at, minutes, time_zone, paused, next_host",
          )
          .eq("circle_id", circle)
          .order("created_at")
          .abortSignal(signal),
      ),
    ),
};

export type StandingDraft = Pick<
  StandingDinner,
  "title" | "rhythm" | "rotation" | "first_on" | "starts_at" | "minutes" | "time_zone"
>;

/** @param dinner id of the standing dinner to change, or null for a new one */
export const saveStanding = (circle: string, dinner: string | null, draft: StandingDraft) =>
  rpc("save_standing_dinner", { circle, ...draft, ...(dinner ? { dinner } : {}) });

export const pauseStanding = (dinner: string, paused: boolean) =>
  rpc("pause_standing_dinner", { dinner, paused });

/** Skips that day; a repeated call changes nothing. */
export const skipStanding = (dinner: string, day: string) => rpc("skip_standing_dinner", { dinner, day });

export const endStanding = (dinner: string) => rpc("end_standing_dinner", { dinner });
