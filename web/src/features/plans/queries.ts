/** Owns: reading plans. One request returns a whole plan; it includes the votes that this person may see. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { invoke } from "../../lib/backend/functions.ts";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { uuid } from "../../lib/search.ts";
import { atHome } from "../places/schema.ts";
import { type Plan, planSchema, ratingSchema, suggestionsSchema, tripSchema } from "./schema.ts";
import { RATINGS_AT_ONCE, ratingColumns, wholePlan } from "./selects.ts";

/** Real-time changes keep plans fresh; this limits staleness when one was missed. */
const STALE_MS = 60_000;

/** Null when there is no such plan for this person, for example because they are not a member. */
export async function readPlan(id: string, signal: AbortSignal): Promise<Plan | null> {
  // The database rejects a malformed id with an error; for the person it is just a wrong link.
  if (uuid(id) === undefined) return null;
  const answer = await supabase
    .from("plans")
    .select(wholePlan)
    .eq("id", id)
    .abortSignal(signal)
    .maybeSingle();
  if (answer.error) throw toAppError(answer.error);
  return answer.data === null ? null : inOrder(planSchema.parse(answer.data));
}

/** By what a person hears of a plan; null for nobody whom a message reaches. */
const reachSchema = z.nullable(z.enum(["mail", "push"]));
export type Reach = z.infer<typeof reachSchema>;

export const planQueries = {
  one: (id: string) => reading(["plan", id], (signal) => readPlan(id, signal), STALE_MS),
  trips: (id: string) =>
    reading(
      ["plan", id, "trips"],
      (signal) => parsed(z.array(tripSchema), supabase.rpc("plan_trips", { plan: id }).abortSignal(signal)),
      5 * STALE_MS,
    ),
  reach: (id: string) =>
    reading(
      ["plan", id, "reach"],
      (signal) => parsed(reachSchema, supabase.rpc("plan_reach", { plan: id }).abortSignal(signal)),
      STALE_MS,
    ),
  ratings: () =>
    reading(
      ["ratings"],
      (signal) =>
        parsed(
          z.array(ratingSchema),
          supabase.from("ratings").select(ratingColumns).limit(RATINGS_AT_ONCE).abortSignal(signal),
        ),
      STALE_MS,
    ),
  suggestions: (id: string) =>
    queryOptions({
      queryKey: ["plan", id, "suggestions"],
      queryFn: async ({ signal }) => {
        const answer = await invoke("suggest-places", { body: { plan_id: id }, signal });
        return suggestionsSchema.parse(answer).suggestions;
      },
      staleTime: 5 * STALE_MS,
    }),
};

/** Rows are unordered; the screen needs them by creation or by time. */
function inOrder(plan: Plan): Plan {
  return {
    ...plan,
    plan_members: plan.plan_members.toSorted(
      (a, b) =>
        rank[a.role] - rank[b.role] ||
        Date.parse(a.joined_at) - Date.parse(b.joined_at) ||
        (a.user_id < b.user_id ? -1 : 1),
    ),
    time_options: plan.time_options.toSorted(
      (a, b) =>
        Date.parse(a.starts_at) - Date.parse(b.starts_at) || Date.parse(a.ends_at) - Date.parse(b.ends_at),
    ),
    place_options: plan.place_options
      .map((option) => ({ ...option, places: option.places && atHome(option.places) }))
      .toSorted((a, b) => (a.places?.name ?? "").localeCompare(b.places?.name ?? "", "en")),
  };
}

const rank = { host: 0, cohost: 1, guest: 2 } as const;
