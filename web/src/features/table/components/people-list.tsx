/** Owns: the list of people next to the drawing. Hosts also get a link to each person, and see whom no message reaches. */
import { useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { isHost, isMoved, seatedOf, seatOf, stateOf, timesAnswered } from "../../plans/domain.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { tableWords } from "../../plans/words/table.ts";
import { hostQueries } from "../hosts.ts";
import { hostWords } from "../words.ts";
import { PersonSheet } from "./person-sheet.tsx";

const HostNotes = lazyOptional(async () => (await import("./host-notes.tsx")).HostNotes);

interface PeopleListProps {
  plan: Plan;
  me: string;
  now: number;
}

export const PeopleList = memo(function PeopleList(props: PeopleListProps) {
  const { plan, me, now } = props;
  const asks = isHost(plan, me) && stateOf(plan, now) === "confirmed";
  return asks ? <ReachedPeople {...props} /> : <People {...props} unreached={[]} />;
});

/** The list for hosts of a decided plan, which marks people whom no message reaches once that is known. */
function ReachedPeople(props: PeopleListProps) {
  const unreachable = useQuery(hostQueries.unreachable(props.plan.id));
  return <People {...props} unreached={unreachable.data ?? []} />;
}

function People({ plan, me, now, unreached }: PeopleListProps & { unreached: readonly string[] }) {
  const { present } = usePlanLive();
  const words = tableWords();
  const state = stateOf(plan, now);
  const seats = new Map(
    plan.plan_members.map((member) => [
      member.user_id,
      seatOf(seatedOf(plan, member), state, isMoved(plan)).words,
    ]),
  );
  const mayDecide = isHost(plan, me) && (state === "polling" || state === "confirmed");
  const list = (
    <ul className="flex flex-col gap-2.5">
      {plan.plan_members.map((member) => {
        const face = faceOf(member.user_id, member.profiles);
        const here = present.has(member.user_id) && member.user_id !== me;
        const answered = state === "polling" ? timesAnswered(plan, member.user_id) : 0;
        const notes = [
          // The dot beside it has its meaning in words.
          ...(here ? [words.lookingNow] : []),
          seats.get(member.user_id),
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
                {member.user_id === me ? words.you(face.name) : face.name}
              </span>
              {member.role === "guest" ? null : (
                <span className="text-sm text-ink-soft">{`\u00a0· ${words.roles[member.role]}`}</span>
              )}
              <span className="block text-sm text-ink-soft">{notes.join("\u00a0· ")}</span>
            </p>
            {mayDecide ? (
              <PersonSheet
                plan={plan}
                member={member}
                me={me}
                trigger={
                  <Button
                    look="plain"
                    className="no-underline"
                    aria-label={planWords().person.open(face.name)}
                  >
                    <span aria-hidden className="px-1 text-lg leading-none">
                      {ELLIPSIS}
                    </span>
                  </Button>
                }
              />
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
}

const ELLIPSIS = "…";
