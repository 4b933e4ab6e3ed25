/** Owns: the list of people next to the drawing. Hosts also get a link to each person, and see whom no message reaches. */
import { lazy, memo } from "react";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { Part } from "../../plans/components/part.tsx";
import { isHost, isMoved, seatedOf, seatOf, stateOf, timesAnswered } from "../../plans/domain.ts";
import { firstName } from "../../plans/names.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { tableWords } from "../../plans/words/table.ts";
import { hostWords } from "../words.ts";

const PersonForm = lazy(async () => ({ default: (await import("./person-form.tsx")).PersonForm }));
const HostNotes = lazyOptional(async () => (await import("./host-notes.tsx")).HostNotes);

interface PeopleListProps {
  plan: Plan;
  me: string;
  now: number;
  /** Ids of people who get neither mail nor push, as far as the reader may know. */
  unreached: readonly string[];
}

export const PeopleList = memo(function PeopleList({ plan, me, now, unreached }: PeopleListProps) {
  const words = tableWords();
  const state = stateOf(plan, now);
  const host = isHost(plan, me);
  const mayDecide = host && (state === "polling" || state === "confirmed");
  const { present } = usePlanLive();
  const list = (
    <ul className="flex flex-col gap-2.5">
      {plan.plan_members.map((member) => {
        const face = faceOf(member.user_id, member.profiles);
        // Two of the same name are told apart.
        const twin = plan.plan_members.some(
          (other) => other !== member && other.profiles?.display_name === face.name,
        );
        const name = twin ? firstName(plan, member.user_id) : face.name;
        const here = present.has(member.user_id) && member.user_id !== me;
        const answered = state === "polling" ? timesAnswered(plan, member.user_id) : 0;
        const notes = [
          // The dot beside it has its meaning in words.
          ...(here ? [words.lookingNow] : []),
          seatOf(seatedOf(plan, member), state, isMoved(plan)).words,
          ...(answered > 0 && answered < plan.time_options.length
            ? [words.timesAnswered(answered, plan.time_options.length)]
            : []),
          ...(member.required ? [words.required] : []),
          ...(unreached.includes(member.user_id) ? [hostWords().unreached] : []),
          ...(member.profiles?.diets.map((diet) => peopleWords().diets[diet]) ?? []),
        ];
        return (
          <li key={member.user_id} className="flex items-center gap-3">
            <span className="relative">
              <Avatar face={face} size={36} />
              {here ? (
                <span className="absolute -right-0.5 -bottom-0.5 size-3 rounded-full border-2 border-ground bg-yes" />
              ) : null}
            </span>
            <p className="min-w-0 flex-1 leading-tight">
              <span className="font-semibold break-words">
                {member.user_id === me ? words.you(name) : name}
              </span>
              {member.role === "guest" ? null : (
                <span className="text-sm text-ink-soft">{`\u00a0· ${words.roles[member.role]}`}</span>
              )}
              <span className="block text-sm text-ink-soft">{notes.join("\u00a0· ")}</span>
            </p>
            {mayDecide ? (
              <Sheet
                title={firstName(plan, member.user_id)}
                trigger={
                  <Button look="plain" className="no-underline" aria-label={planWords().person.open(name)}>
                    <span aria-hidden className="px-1 text-lg leading-none">
                      {ELLIPSIS}
                    </span>
                  </Button>
                }
              >
                {(close) => (
                  <Part>
                    <PersonForm plan={plan} member={member} me={me} close={close} />
                  </Part>
                )}
              </Sheet>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
  if (!mayDecide) return list;
  return (
    <div className="flex flex-col gap-4">
      {list}
      <HostNotes plan={plan} me={me} now={now} unreached={unreached} />
    </div>
  );
});

const ELLIPSIS = "…";
