/** Owns: who has refused a time or a place, as far as the answers can be read. Pure. */
import { saidNo } from "../../../../supabase/functions/_shared/table/person_state.ts";
import { dateOf } from "../../lib/time.ts";
import type { Plan, TimeOption } from "./schema.ts";

/** Whether people have voted on the time, and each of them said no. A person who declined the plan does not count. */
export function refusedByAll(plan: Plan, time: TimeOption | undefined): boolean {
  const votes = (time?.time_votes ?? []).filter(({ user_id }) =>
    plan.plan_members.some((member) => member.user_id === user_id && !saidNo(member)),
  );
  return votes.length > 0 && votes.every(({ answer }) => answer === "no");
}

/** Whether the plan has times on that date ("2026-11-27", in its zone), and all of them were refused by everybody. */
export function isRefusedDate(plan: Plan, date: string): boolean {
  const times = plan.time_options.filter(({ starts_at }) => dateOf(starts_at, plan.time_zone) === date);
  return times.length > 0 && times.every((time) => refusedByAll(plan, time));
}

/** The ids of people who cannot come at a time; those who said no to the plan are not asked any more. */
export function absentAt(plan: Plan, timeId: string | null): string[] {
  return refusersOf(plan, plan.time_options.find((option) => option.id === timeId)?.time_votes);
}

/** The ids of people who may come at a time and said no to a place. */
export function unwillingAt(plan: Plan, timeId: string | null, placeId: string | null): string[] {
  const absent = absentAt(plan, timeId);
  const votes = plan.place_options.find((option) => option.id === placeId)?.place_votes;
  return refusersOf(plan, votes).filter((person) => !absent.includes(person));
}

function refusersOf(
  plan: Plan,
  votes: readonly { user_id: string; answer: string }[] | undefined = [],
): string[] {
  return plan.plan_members
    .filter((member) => !saidNo(member))
    .map((member) => member.user_id)
    .filter((person) => votes.some((vote) => vote.user_id === person && vote.answer === "no"));
}
