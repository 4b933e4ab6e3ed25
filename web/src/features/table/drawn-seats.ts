/** Owns: a plan's people as the drawing of the table wants them. */
import { faceOf } from "../people/queries.ts";
import { seatsOf } from "../plans/domain.ts";
import type { Plan } from "../plans/schema.ts";
import type { DrawnSeat } from "./components/table-drawing.tsx";

export function drawnSeats(plan: Plan, now: number, present?: ReadonlySet<string>): DrawnSeat[] {
  const looks = new Map(seatsOf(plan, now).map((seat) => [seat.personId, seat]));
  return plan.plan_members.flatMap((member) => {
    const seat = looks.get(member.user_id);
    if (!seat) return [];
    const { id, name, picture } = faceOf(member.user_id, member.profiles);
    return [{ id, name, picture, look: seat.look, words: seat.words, present: present?.has(id) ?? false }];
  });
}
