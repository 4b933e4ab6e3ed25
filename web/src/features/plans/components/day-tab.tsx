/** Owns: the tab On the day: the arrival board before and during the meal, the rating after it. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { clockOf, sayTime } from "../../../lib/time.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { CheckIcon, NavigationIcon, StarIcon } from "../../../ui/icons.ts";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";
import { faceOf } from "../../people/queries.ts";
import { usePlanAction } from "../actions.ts";
import { chosenTime, isToday, stateOf } from "../domain.ts";
import { markArrival, ratePlan } from "../mutations.ts";
import { planQueries } from "../queries.ts";
import type { Member, Plan } from "../schema.ts";
import type { TabProps } from "./when-tab.tsx";

/** What people answer when asked how far they are. */
const ETAS = [5, 10, 15, 30] as const;

export function DayTab(props: TabProps) {
  const { plan, now, viewerZone } = props;
  const state = stateOf(plan, now);
  const time = chosenTime(plan);
  if (state === "done") return <RatePanel {...props} />;
  if (state !== "confirmed" || !time) {
    return (
      <Empty title="Not decided yet">
        <p>Once a time and a place are chosen, this is where you see who is on their way.</p>
      </Empty>
    );
  }
  if (!isToday(plan, now)) {
    return (
      <Empty title="The board opens on the day">
        <p>Six hours before {sayTime(time.starts_at, plan.time_zone, viewerZone)}.</p>
      </Empty>
    );
  }
  return <ArrivalBoard {...props} />;
}

function ArrivalBoard({ plan, me, now }: TabProps) {
  const action = usePlanAction(plan.id);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  const expected = plan.plan_members.filter((member) => member.rsvp === "going" || member.arrivals);
  const status = mine?.arrivals?.status ?? "not_left";
  return (
    <div className="flex flex-col gap-4">
      <div className="overflow-hidden rounded-m bg-[oklch(0.2_0.035_322)] text-[oklch(0.93_0.03_84)]">
        <table className="numerals w-full text-left">
          <caption className="sr-only">Who is on their way</caption>
          <thead className="text-xs tracking-wide text-[oklch(0.78_0.03_70)]">
            <tr>
              <th className="px-4 py-2 font-normal">Guest</th>
              <th className="px-4 py-2 text-right font-normal">Expected</th>
              <th className="px-4 py-2 font-normal">Status</th>
            </tr>
          </thead>
          <tbody>
            {expected.map((member) => (
              <BoardRow key={member.user_id} member={member} plan={plan} now={now} />
            ))}
          </tbody>
        </table>
      </div>
      {mine && status !== "arrived" ? (
        <div className="paper flex flex-col gap-3 p-4">
          <p className="font-semibold">{status === "on_the_way" ? "How far are you now?" : "Leaving?"}</p>
          <div className="flex flex-wrap gap-2">
            {ETAS.map((minutes) => (
              <Button
                key={minutes}
                isDisabled={action.isPending}
                onPress={() => action.mutate(() => markArrival(plan.id, "on_the_way", minutes))}
              >
                <NavigationIcon aria-hidden className="size-4" /> {minutes} min
              </Button>
            ))}
            <Button
              look="action"
              busy={action.isPending}
              onPress={() => action.mutate(() => markArrival(plan.id, "arrived", null))}
            >
              <CheckIcon aria-hidden className="size-5" /> I'm here
            </Button>
          </div>
        </div>
      ) : null}
      {action.isError ? <ErrorNotice error={action.error} /> : null}
    </div>
  );
}

function BoardRow({ member, plan, now }: { member: Member; plan: Plan; now: number }) {
  const arrival = member.arrivals;
  const minutes = arrival?.eta ? Math.max(0, Math.round((Date.parse(arrival.eta) - now) / 60_000)) : null;
  const words =
    arrival?.status === "arrived"
      ? "here"
      : arrival?.status === "on_the_way"
        ? minutes === null
          ? "on the way"
          : minutes === 0
            ? "any moment"
            : `on the way, ${minutes} min`
        : "not left";
  return (
    <tr className="border-t border-[oklch(0.34_0.04_330)]">
      <th scope="row" className="px-4 py-3 text-base font-semibold">
        <span className="flex items-center gap-2">
          <Avatar face={faceOf(member.user_id, member.profiles)} size={28} />
          {member.profiles?.display_name.split(" ")[0] ?? "Someone"}
        </span>
      </th>
      <td className="px-4 py-3 text-right text-lg">
        {arrival?.status === "on_the_way" && arrival.eta ? clockOf(arrival.eta, plan.time_zone) : "–"}
      </td>
      <td
        className={`px-4 py-3 ${arrival?.status === "arrived" ? "font-semibold text-[oklch(0.84_0.145_76)]" : ""}`}
      >
        {words}
      </td>
    </tr>
  );
}

function RatePanel({ plan, me }: TabProps) {
  const ratings = useQuery(planQueries.ratings());
  const here = (ratings.data ?? []).filter((rating) => rating.plan_id === plan.id);
  const mine = here.find((rating) => rating.user_id === me);
  return (
    <div className="flex flex-col gap-4">
      {ratings.isSuccess ? (
        <RateForm key={mine?.stars ?? 0} plan={plan} stars={mine?.stars ?? 0} comment={mine?.comment ?? ""} />
      ) : null}
      {here.length > 0 ? (
        <ul className="flex flex-col gap-2">
          {here.map((rating) => {
            const member = plan.plan_members.find((one) => one.user_id === rating.user_id);
            const face = faceOf(rating.user_id, member?.profiles ?? null);
            return (
              <li key={rating.user_id} className="paper flex items-center gap-3 p-3">
                <Avatar face={face} />
                <p className="min-w-0">
                  <span className="font-semibold">{face.name.split(" ")[0]}</span>{" "}
                  <span className="numerals">{rating.stars} of 5</span>
                  {rating.comment ? <span className="block text-ink-soft">{rating.comment}</span> : null}
                </p>
              </li>
            );
          })}
        </ul>
      ) : null}
    </div>
  );
}

function RateForm({ plan, stars, comment }: { plan: Plan; stars: number; comment: string }) {
  const action = usePlanAction(plan.id);
  const [given, setGiven] = useState(stars);
  const [words, setWords] = useState(comment);
  return (
    <form
      className="paper flex flex-col gap-4 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate(() => ratePlan(plan.id, given, words));
      }}
    >
      <RadioGroup
        orientation="horizontal"
        value={given ? String(given) : null}
        onChange={(value) => setGiven(Number(value))}
        className="flex flex-col gap-2"
      >
        <Label className="font-display text-lg">How was it?</Label>
        <div className="flex gap-1">
          {[1, 2, 3, 4, 5].map((value) => (
            <Radio
              key={value}
              value={String(value)}
              aria-label={`${value} of 5`}
              className="grid size-11 cursor-pointer place-items-center rounded-full"
            >
              <StarIcon
                aria-hidden
                className={`size-7 ${value <= given ? "fill-maybe text-maybe" : "text-edge"}`}
              />
            </Radio>
          ))}
        </div>
      </RadioGroup>
      <Field label="A word about it" value={words} onChange={setWords} maxLength={500} lines={2} />
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      {action.isSuccess ? (
        <p role="status" className="text-sm text-yes">
          Kept. It helps the next choice.
        </p>
      ) : null}
      <Button
        type="submit"
        look="action"
        busy={action.isPending}
        isDisabled={given === 0}
        className="self-start"
      >
        {stars ? "Change my rating" : "Rate it"}
      </Button>
    </form>
  );
}
