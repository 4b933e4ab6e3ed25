/** Owns: the tab When: each time with its heat, who said what, and one's own answer. */
import { useState } from "react";
import { toAppError } from "../../../lib/errors.ts";
import {
  clockOf,
  dateOf,
  instantOf,
  leafOf,
  lengthOf,
  sayTime,
  wallClockOf,
  yourTime,
} from "../../../lib/time.ts";
import { Faces } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { faceOf } from "../../people/queries.ts";
import { usePlanAction, useVote } from "../actions.ts";
import { stateOf } from "../domain.ts";
import { proposeTime } from "../mutations.ts";
import type { Answer, Plan, TimeOption } from "../schema.ts";
import { AnswerToggle } from "./answer-toggle.tsx";
import { Heat } from "./heat.tsx";

export interface TabProps {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  host: boolean;
}

export function WhenTab({ plan, me, now, viewerZone, host }: TabProps) {
  const vote = useVote(plan, me);
  const polling = stateOf(plan, now) === "polling";
  const closed = plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
  return (
    <div className="flex flex-col gap-3">
      {vote.isError ? <ErrorNotice error={vote.error} /> : null}
      {plan.time_options.length === 0 ? (
        <Empty title="No times yet">
          <p>Put up a few evenings, and the table can answer.</p>
        </Empty>
      ) : (
        <ul className="flex flex-col gap-3">
          {plan.time_options.map((option) => (
            <TimeRow
              key={option.id}
              option={option}
              plan={plan}
              me={me}
              viewerZone={viewerZone}
              disabled={!polling || closed || Date.parse(option.starts_at) <= now}
              onAnswer={(answer) => vote.mutate({ times: { [option.id]: answer } })}
            />
          ))}
        </ul>
      )}
      {closed && polling ? (
        <p className="text-sm text-ink-soft">
          Voting closed {sayTime(plan.vote_deadline ?? "", plan.time_zone, viewerZone)}.
        </p>
      ) : null}
      {polling && !closed && (host || plan.guests_may_propose) ? <ProposeTime plan={plan} /> : null}
    </div>
  );
}

function TimeRow({
  option,
  plan,
  me,
  viewerZone,
  disabled,
  onAnswer,
}: {
  option: TimeOption;
  plan: Plan;
  me: string;
  viewerZone: string;
  disabled: boolean;
  onAnswer: (answer: Answer | null) => void;
}) {
  const leaf = leafOf(option.starts_at, plan.time_zone);
  const mine = option.time_votes.find((vote) => vote.user_id === me)?.answer ?? null;
  const yours = yourTime(option.starts_at, plan.time_zone, viewerZone);
  const chosen = plan.chosen_time_id === option.id;
  const yes = option.time_votes.filter((vote) => vote.answer === "yes").map((vote) => vote.user_id);
  const faces = plan.plan_members
    .filter((member) => yes.includes(member.user_id))
    .map((member) => faceOf(member.user_id, member.profiles));
  return (
    <li
      className={`paper @container grid grid-cols-[auto_1fr] gap-x-4 gap-y-3 p-4 ${chosen ? "border-yes" : ""}`}
    >
      <div className="numerals flex w-14 flex-col items-center self-start border-r border-dashed border-edge pr-3 leading-none">
        <span className="text-sm text-ink-soft">{leaf.weekday}</span>
        <span className="text-xl font-semibold">{leaf.day}</span>
        <span className="text-sm text-ink-soft">{leaf.month}</span>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div>
          <h3 className="numerals text-lg leading-tight">
            {clockOf(option.starts_at, plan.time_zone)}
            <span className="text-ink-soft">–{clockOf(option.ends_at, plan.time_zone)}</span>
          </h3>
          <p className="text-sm text-ink-soft">
            {lengthOf(option.starts_at, option.ends_at)}
            {yours ? `, ${yours}` : ""}
            {chosen ? " · chosen" : ""}
          </p>
        </div>
        <Faces faces={faces} />
      </div>
      <div className="col-span-2 grid gap-3 @xl:grid-cols-[1fr_auto] @xl:items-center">
        <Heat votes={option.time_votes} people={plan.plan_members.length} />
        <AnswerToggle
          label={sayTime(option.starts_at, plan.time_zone, viewerZone)}
          value={mine}
          disabled={disabled}
          onChange={onAnswer}
        />
      </div>
    </li>
  );
}

function ProposeTime({ plan }: { plan: Plan }) {
  return (
    <Sheet title="Another time" trigger={<Button className="self-start">Put up another time</Button>}>
      {(close) => <ProposeTimeForm plan={plan} close={close} />}
    </Sheet>
  );
}

function ProposeTimeForm({ plan, close }: { plan: Plan; close: () => void }) {
  const action = usePlanAction(plan.id);
  const last = plan.time_options.at(-1);
  const tomorrow = dateOf(Date.now() + 86_400_000, plan.time_zone);
  const [date, setDate] = useState(tomorrow);
  const [from, setFrom] = useState(last ? wallClockOf(last.starts_at, plan.time_zone) : "19:30");
  const [until, setUntil] = useState(last ? wallClockOf(last.ends_at, plan.time_zone) : "22:00");
  const propose = () =>
    action.mutate(
      () => {
        const [startsAt, endsAt] = mealOn(date, from, until, plan.time_zone);
        return proposeTime(plan.id, startsAt, endsAt);
      },
      { onSuccess: close },
    );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        propose();
      }}
    >
      <Field label="Day" type="date" value={date} onChange={setDate} min={tomorrow} isRequired />
      <div className="grid grid-cols-2 gap-3">
        <Field label="From" type="time" value={from} onChange={setFrom} isRequired />
        <Field label="Until" type="time" value={until} onChange={setUntil} isRequired />
      </div>
      <p className="text-sm text-ink-soft">On the table's clock: {plan.time_zone.replaceAll("_", " ")}.</p>
      {action.isError ? <ErrorNotice error={toAppError(action.error)} /> : null}
      <Button type="submit" look="action" busy={action.isPending}>
        Put it up
      </Button>
    </form>
  );
}

/** Start and end as instants; an end at or before the start is on the next day. */
export function mealOn(date: string, from: string, until: string, zone: string): [string, string] {
  const startsAt = instantOf(date, from, zone);
  const nextDay = new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return [startsAt, instantOf(until <= from ? nextDay : date, until, zone)];
}
