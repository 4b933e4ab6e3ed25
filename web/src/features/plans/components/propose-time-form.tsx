/** Owns: the form for suggesting another time; submits once. */
import { useState } from "react";
import { cityOf, dateOf, wallClockOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
import { makeOnce, usePlanAction } from "../actions.ts";
import { DAY_MS, dayAfter, mealOn } from "../meal.ts";
import { proposeTime } from "../mutations.ts";
import { isRefusedDate } from "../refused.ts";
import type { Plan } from "../schema.ts";
import { timeOptionWords } from "../words/time-options.ts";

export function ProposeTimeForm({ plan, me, close }: { plan: Plan; me: string; close: () => void }) {
  const words = timeOptionWords().propose;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const last = plan.time_options.at(-1);
  const tomorrow = dateOf(Date.now() + DAY_MS, plan.time_zone);
  // The day after the last suggested one is the likely next.
  const after = last ? dayAfter(dateOf(last.starts_at, plan.time_zone)) : tomorrow;
  const [date, setDate] = useState([tomorrow, after].toSorted().at(-1) ?? tomorrow);
  const [from, setFrom] = useState(last ? wallClockOf(last.starts_at, plan.time_zone) : "19:30");
  const [until, setUntil] = useState(last ? wallClockOf(last.ends_at, plan.time_zone) : "22:00");
  const refused = isRefusedDate(plan, date);
  const propose = () =>
    action.mutate(
      () => {
        const [startsAt, endsAt] = mealOn(date, from, until, plan.time_zone);
        return makeOnce(
          plan.id,
          () => proposeTime(plan.id, startsAt, endsAt),
          (now) =>
            now.time_options.some(
              (option) =>
                option.proposed_by === me &&
                Date.parse(option.starts_at) === Date.parse(startsAt) &&
                Date.parse(option.ends_at) === Date.parse(endsAt) &&
                !plan.time_options.some((before) => before.id === option.id),
            ),
        );
      },
      {
        onSuccess: () => {
          announce(words.done);
          close();
        },
      },
    );
  return (
    <Form className="flex flex-col gap-4" submit={propose}>
      <Field
        label={words.day}
        type="date"
        value={date}
        onChange={setDate}
        min={dateOf(Date.now(), plan.time_zone)}
        isRequired
      />
      <div className="grid grid-cols-2 gap-3">
        <Field label={words.from} type="time" value={from} onChange={setFrom} isRequired />
        <Field label={words.until} type="time" value={until} onChange={setUntil} isRequired />
      </div>
      <p className="text-sm text-ink-soft">{words.clock(cityOf(plan.time_zone))}</p>
      <p role="status" className="text-sm font-semibold empty:hidden">
        {refused ? words.refused : null}
      </p>
      <Submit of={action}>{refused ? words.doAnyway : words.do}</Submit>
    </Form>
  );
}
