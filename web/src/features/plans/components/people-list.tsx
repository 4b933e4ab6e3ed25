/** Owns: who is at the table, in words: the list beside the drawing. */
import { Avatar } from "../../../ui/avatar.tsx";
import { faceOf } from "../../people/queries.ts";
import { seatsOf } from "../domain.ts";
import { usePlanLive } from "../realtime.tsx";
import type { Plan } from "../schema.ts";
import { tableWords } from "../words/table.ts";

export function PeopleList({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const { present } = usePlanLive();
  const words = tableWords();
  const seats = new Map(seatsOf(plan, now).map((seat) => [seat.personId, seat.words]));
  return (
    <ul className="flex flex-col gap-2.5">
      {plan.plan_members.map((member) => {
        const face = faceOf(member.user_id, member.profiles);
        const here = present.has(member.user_id) && member.user_id !== me;
        return (
          <li key={member.user_id} className="flex items-center gap-3">
            <span className="relative">
              <Avatar face={face} size={36} />
              {here ? (
                <span className="absolute -right-0.5 -bottom-0.5 size-3 rounded-full border-2 border-ground bg-yes">
                  <span className="sr-only">{words.lookingNow}</span>
                </span>
              ) : null}
            </span>
            <p className="min-w-0 leading-tight">
              <span className="font-semibold">{member.user_id === me ? words.you(face.name) : face.name}</span>
              {member.role === "guest" ? null : (
                <span className="text-sm text-ink-soft"> · {words.roles[member.role]}</span>
              )}
              <span className="block text-sm text-ink-soft">
                {seats.get(member.user_id)}
                {member.profiles && member.profiles.diets.length > 0
                  ? ` · ${member.profiles.diets.map((diet) => words.diets[diet]).join(", ")}`
                  : ""}
              </span>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
