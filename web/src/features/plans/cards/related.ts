/** Owns: reading plans for other screens: a circle's places, and the plans that a place is or could be on. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { parsed } from "../../../lib/backend/parsed.ts";
import { supabase } from "../../../lib/backend/supabase.ts";
import { orThrow } from "../../../lib/errors.ts";
import { personSchema } from "../../people/schema.ts";
import { planSchema } from "../schema.ts";

const STALE_MS = 15_000;
/** More than the number of plans that anyone has in voting, or that a circle's or a place's list shows. */
const LISTED_AT_ONCE = 100;

/** The places of a circle's plans: the suggested ones, and which of these was chosen. */
const circlePlansSchema = z.array(
  z.object({
    ...z.pick(planSchema, { id: true, status: true, chosen_place_id: true }).shape,
    place_options: z.array(
      z.object({ id: z.uuid(), place_id: z.uuid(), places: z.nullable(z.object({ name: z.string() })) }),
    ),
  }),
);
export type CirclePlan = z.infer<typeof circlePlansSchema>[number];

/** A plan in voting, and whether a place is on it. */
const openPlansSchema = z.array(
  z.object({
    ...z.pick(planSchema, {
      id: true,
      title: true,
      time_zone: true,
      vote_deadline: true,
      guests_may_propose: true,
    }).shape,
    plan_members: z.array(z.object({ role: z.enum(["host", "cohost", "guest"]) })),
    place_options: z.array(z.object({ place_id: z.uuid() })),
    time_options: z.array(z.object({ starts_at: z.string(), ends_at: z.string() })),
  }),
);
export type OpenPlan = z.infer<typeof openPlansSchema>[number];

/** A plan that has a place, with its time and its people. */
const plansAtSchema = z.array(
  z.object({
    plans: z.object({
      ...z.pick(planSchema, { id: true, title: true, status: true, time_zone: true }).shape,
      time_options: z.nullable(z.object({ starts_at: z.string(), ends_at: z.string() })),
      plan_members: z.array(z.object({ user_id: z.uuid(), profiles: z.nullable(personSchema) })),
    }),
  }),
);
export type PlanAt = z.infer<typeof plansAtSchema>[number]["plans"];

/** The keys begin with `plans`, as those of cards, so that a changed plan invalidates them together. */
export const relatedQueries = {
  placesOfCircle: (circle: string) =>
    queryOptions({
      queryKey: ["plans", "circle", circle, "places"],
      queryFn: ({ signal }) =>
        parsed(
          circlePlansSchema,
          supabase
            .from("plans")
            .select(
              "id, status, chosen_place_id, place_options!place_options_plan_id_fkey(id, place_id, places(name))",
            )
            .eq("circle_id", circle)
            .order("created_at", { ascending: false })
            .limit(LISTED_AT_ONCE)
            .abortSignal(signal),
        ),
      staleTime: STALE_MS,
    }),
  openTo: (me: string, place: string) =>
    queryOptions({
      queryKey: ["plans", "open", place],
      queryFn: ({ signal }) =>
        parsed(
          openPlansSchema,
          supabase
            .from("plans")
            .select(
              `id, title, time_zone, vote_deadline, guests_may_propose, plan_members(role),
                place_options!place_options_plan_id_fkey(place_id),
                time_options!time_options_plan_id_fkey(starts_at, ends_at)`,
            )
            .eq("status", "polling")
            .eq("plan_members.user_id", me)
            .eq("place_options.place_id", place)
            .order("starts_at", { referencedTable: "time_options" })
            .order("created_at", { ascending: false })
            .limit(LISTED_AT_ONCE)
            .abortSignal(signal),
        ),
      staleTime: STALE_MS,
    }),
  at: (place: string) =>
    queryOptions({
      queryKey: ["plans", "at", place],
      queryFn: async ({ signal }) => {
        const rows = orThrow(
          await supabase
            .from("place_options")
            .select(
              `plans!place_options_plan_id_fkey(id, title, status, time_zone,
                time_options!plans_chosen_time_fkey(starts_at, ends_at),
                plan_members(user_id, profiles(display_name, avatar_path, diets, diets_known, budget)))`,
            )
            .eq("place_id", place)
            .order("created_at", { ascending: false })
            .limit(LISTED_AT_ONCE)
            .abortSignal(signal),
        );
        return plansAtSchema.parse(rows).map((row) => row.plans);
      },
      staleTime: STALE_MS,
    }),
};
