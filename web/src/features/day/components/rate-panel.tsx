/** Owns: after the meal: the person's own rating and comment, and everyone's ratings. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { problemWith } from "../../../lib/rules.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { StarIcon } from "../../../ui/icons.ts";
import { ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { faceOf } from "../../people/queries.ts";
import { usePlanAction } from "../../plans/actions.ts";
import { stateOfMember } from "../../plans/domain.ts";
import { ratePlan } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import { planQueries } from "../../plans/queries.ts";
import { type Plan, type Rating, ratingComment } from "../../plans/schema.ts";
import { dayWords } from "../words.ts";

export function RatePanel({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const words = dayWords().rate;
  const ratings = useQuery(planQueries.ratings());
  if (ratings.isPending) {
    return <Loading what={words.loading} shapes={["h-64 w-full"]} />;
  }
  if (ratings.isError) return <ErrorNotice error={ratings.error} retry={() => void ratings.refetch()} />;
  const given = ratings.data.filter((rating) => rating.plan_id === plan.id);
  const mine = given.find((rating) => rating.user_id === me);
  const silent = plan.plan_members.filter(
    (member) =>
      stateOfMember(plan, member, now) === "was_there" &&
      !given.some((rating) => rating.user_id === member.user_id),
  ).length;
  return (
    <div className="flex flex-col gap-4">
      <RateForm plan={plan} mine={mine ?? null} />
      {given.length > 0 ? (
        <section aria-label={words.others} className="flex flex-col gap-2">
          <h3 className="text-lg">{words.others}</h3>
          <ul className="flex flex-col gap-2">
            {given.map((rating) => (
              <Given key={rating.user_id} rating={rating} plan={plan} />
            ))}
          </ul>
          {silent > 0 ? <p className="text-sm text-ink-soft">{words.waiting(silent)}</p> : null}
        </section>
      ) : null}
    </div>
  );
}

function Given({ rating, plan }: { rating: Rating; plan: Plan }) {
  const words = dayWords().rate;
  const member = plan.plan_members.find((one) => one.user_id === rating.user_id);
  return (
    <li className="paper flex items-center gap-3 p-3">
      <Avatar face={faceOf(rating.user_id, member?.profiles ?? null)} />
      <p className="min-w-0 break-words">
        <span className="font-semibold">{firstName(plan, rating.user_id)}</span>{" "}
        <span className="numerals">{words.stars(rating.stars)}</span>
        {rating.comment ? <span className="block text-ink-soft">{rating.comment}</span> : null}
      </p>
    </li>
  );
}

const levels = [1, 2, 3, 4, 5] as const;

function RateForm({ plan, mine }: { plan: Plan; mine: Rating | null }) {
  const words = dayWords().rate;
  const action = usePlanAction(plan.id);
  const queries = useQueryClient();
  const [given, setGiven] = useState(mine?.stars ?? 0);
  const [comment, setComment] = useState(mine?.comment ?? "");
  const problem = problemWith(ratingComment, comment);
  return (
    <Form
      className="paper flex flex-col gap-4 p-4"
      submit={() => {
        if (problem !== undefined) return;
        action.mutate(() => ratePlan(plan.id, given, comment), {
          // The channel notifies the others; the person's own screen does not wait for it.
          onSuccess: () => queries.invalidateQueries({ queryKey: ["ratings"] }),
        });
      }}
    >
      <RadioGroup
        orientation="horizontal"
        value={given ? String(given) : null}
        onChange={(value) => setGiven(Number(value))}
        className="flex flex-col gap-2"
      >
        <Label className="font-display text-lg">{words.question}</Label>
        <div className="flex gap-1">
          {levels.map((value) => (
            <Radio
              key={value}
              value={String(value)}
              aria-label={words.stars(value)}
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
      <Field label={words.comment} value={comment} onChange={setComment} problem={problem} lines={2} />
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <p role="status" className="text-sm text-yes empty:hidden">
        {action.isSuccess ? words.saved : ""}
      </p>
      <Button
        type="submit"
        look="action"
        busy={action.isPending}
        isDisabled={given === 0}
        className="self-start"
      >
        {mine ? words.change : words.rate}
      </Button>
    </Form>
  );
}
