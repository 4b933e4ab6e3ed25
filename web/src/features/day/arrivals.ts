/** Owns: the expected people in the order in which the table fills, and the changes between two readings. Pure. */
import { isSeated } from "../../../../supabase/functions/_shared/table/person_state.ts";
import { minutesAway } from "../plans/arrival.ts";
import { stateOfMember } from "../plans/domain.ts";
import type { Member, Plan } from "../plans/schema.ts";

const rank = { arrived: 0, on_the_way: 1, not_left: 2 } as const;

/** Members who are expected or may come: arrived first, then by arrival time, then yes before maybe. */
export function arrivalsOf(plan: Plan, now: number): Member[] {
  const key = (member: Member) => rank[member.arrivals?.status ?? "not_left"];
  const eta = (member: Member) => minutesAway(member.arrivals?.eta ?? null, now) ?? Number.MAX_SAFE_INTEGER;
  return plan.plan_members
    .filter((member) => isUnsure(plan, member, now) || isSeated(stateOfMember(plan, member, now)))
    .toSorted(
      (a, b) =>
        key(a) - key(b) || eta(a) - eta(b) || Number(isUnsure(plan, a, now)) - Number(isUnsure(plan, b, now)),
    );
}

/** Whether a member may come and has not set out: they are on the board, but the table does not count on them. */
export function isUnsure(plan: Plan, member: Member, now: number): boolean {
  return stateOfMember(plan, member, now) === "maybe";
}

/** An estimate that passed this many minutes ago says nothing any more. */
const LATE_MINUTES = 5;

export function isOverdue(eta: string | null, now: number): boolean {
  return eta !== null && now - Date.parse(eta) > LATE_MINUTES * 60_000;
}

export interface News {
  person: string;
  status: "on_the_way" | "arrived";
  eta: string | null;
}

/** The people who left or arrived between two readings; a new estimate of somebody on the way is not announced. */
export function newsOf(before: readonly Member[], after: readonly Member[]): News[] {
  const was = new Map(before.map((member) => [member.user_id, member.arrivals?.status ?? "not_left"]));
  return after.flatMap(({ user_id, arrivals }) => {
    const old = was.get(user_id);
    if (!arrivals || arrivals.status === "not_left" || old === undefined || old === arrivals.status)
      return [];
    return [{ person: user_id, status: arrivals.status, eta: arrivals.eta }];
  });
}
