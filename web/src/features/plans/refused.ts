/** Owns: which times everybody who voted has refused, as far as the answers can be read. Pure. */
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
