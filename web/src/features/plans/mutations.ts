/** Owns: the changes to a plan. Each is one database function and throws an AppError. */
import type { Database } from "../../lib/backend/database.types.ts";
import { loadClient } from "../../lib/backend/load-client.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import type { NewPlace } from "../places/schema.ts";
import type { ArrivalStatus, Ballot, Rsvp } from "./answers.ts";
import type { PlanEdit } from "./fields.ts";
import type { Plan, Rating } from "./schema.ts";

export type NewPlan = Database["public"]["Functions"]["create_plan"]["Args"];

/**
 * Creates a plan once. If a response was lost, the person's newest plan with that title shows that it had
 * arrived.
 * @param me the host, who is the caller
 * @param triedSince when the first try without a response began (ms), or null
 */
export async function createOnce(plan: NewPlan, me: string, triedSince: number | null): Promise<string> {
  const since = triedSince ?? Date.now();
  const arrived = triedSince === null ? null : await findPlanSince(plan.title, me, since);
  if (arrived) return arrived;
  try {
    return await rpc("create_plan", plan);
  } catch (thrown) {
    const found = toAppError(thrown).kind === "network" ? await findPlanSince(plan.title, me, since) : null;
    if (found) return found;
    throw thrown;
  }
}

/** Tolerance for this device's clock being ahead of the server's. */
const CLOCK_SLACK_MS = 60_000;

async function findPlanSince(title: string, me: string, since: number): Promise<string | null> {
  const supabase = await loadClient();
  const { data } = await supabase
    .from("plans")
    .select("id, plan_members!inner(user_id, role)")
    .eq("title", title.trim())
    .eq("plan_members.user_id", me)
    .eq("plan_members.role", "host")
    .gt("created_at", new Date(since - CLOCK_SLACK_MS).toISOString())
    .order("created_at", { ascending: false })
    .limit(1)
    .maybeSingle();
  return data?.id ?? null;
}

export const castVotes = (plan: string, times: Ballot, places: Ballot) =>
  rpc("cast_votes", { plan, times, places });

export const proposeTime = (plan: string, startsAt: string, endsAt: string) =>
  rpc("propose_time", { plan, starts_at: startsAt, ends_at: endsAt });

export const proposePlace = (plan: string, place: string) => rpc("propose_place", { plan, place });

/** Adds a place by its name, with what else is known; returns the id of the option. */
export const proposeNamedPlace = (plan: string, { name, ...details }: NewPlace) =>
  rpc("propose_named_place", { plan, name, details });

export const reopenPlan = (plan: string) => rpc("reopen_plan", { plan });

export const cancelPlan = (plan: string) => rpc("cancel_plan", { plan });

export const restorePlan = (plan: string) => rpc("restore_plan", { plan });

/** Returns the new answer: with a full table this is the waitlist. */
export const setRsvp = (plan: string, answer: Rsvp, plusOnes: number) =>
  rpc("set_rsvp", { plan, answer, plus_ones: plusOnes });

/**
 * Objects to a proposal; twice counts once.
 * @param until the end of the window that the person saw: a later proposal is not meant
 */
export const vetoPlan = (plan: string, reason: string, until: string) =>
  rpc("veto_plan", { plan, reason, until });

export const markArrival = (plan: string, status: ArrivalStatus, etaMinutes: number | null) =>
  rpc("mark_arrival", {
    plan,
    status,
    ...(etaMinutes === null ? {} : { eta_minutes: etaMinutes }),
  });

/** Announces once that the table is ready; the message stays in the conversation. Only hosts may. */
export const callToTable = (plan: string, said: string) => rpc("call_to_table", { plan, said });

export const ratePlan = (plan: string, rating: Pick<Rating, "stars" | "comment" | "ate" | "lacked">) =>
  rpc("rate_plan", { plan, ...rating });

/**
 * Saves a host's edit if the plan is unchanged since it was read (`base`, its `updated_at`). False when
 * somebody changed it meanwhile: nothing is saved then.
 */
export async function editPlan(plan: string, base: string, draft: Partial<PlanEdit>): Promise<boolean> {
  const supabase = await loadClient();
  const rows = orThrow(
    await supabase.from("plans").update(draft).eq("id", plan).eq("updated_at", base).select("id"),
  );
  return rows.length > 0;
}

/**
 * Says for how many and under which name a host has booked, or that nothing is booked (null). Only as long as the choice is
 * the one that was seen: another one asks again.
 */
export async function bookPlan(
  { id, chosen_time_id, chosen_place_id }: Pick<Plan, "id" | "chosen_time_id" | "chosen_place_id">,
  booking: { seats: number; name: string } | null,
): Promise<void> {
  const supabase = await loadClient();
  orThrow(
    await supabase
      .from("plans")
      .update({ booked_seats: booking?.seats ?? null, booked_name: booking?.name ?? null })
      .match({ id, chosen_time_id, chosen_place_id }),
  );
}

/** Removes a time and its answers from the plan. Its author and hosts may. */
export async function withdrawTime(option: string): Promise<void> {
  const supabase = await loadClient();
  orThrow(await supabase.from("time_options").delete().eq("id", option));
}

/** Removes a place and its answers from the plan. Its author and hosts may. */
export async function withdrawPlace(option: string): Promise<void> {
  const supabase = await loadClient();
  orThrow(await supabase.from("place_options").delete().eq("id", option));
}

export const setMemberRole = (plan: string, person: string, role: "host" | "cohost" | "guest") =>
  rpc("set_member_role", { plan, person, role });

export const setMemberRequired = (plan: string, person: string, required: boolean) =>
  rpc("set_member_required", { plan, person, required });

/** Removes the caller, or for hosts another person, from the plan. */
export const removeMember = (plan: string, person: string) => rpc("remove_member", { plan, person });
