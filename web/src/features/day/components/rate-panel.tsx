/**
 * Owns: after the meal: the person's own rating and comment, whether the place is safe for their diets, and everyone's
 * ratings. The ticket asks until the person has rated; then the tab has the form, to change it.
 */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { type Diet, mealDiets } from "../../../../../supabase/functions/_shared/ranking/diets.ts";
import { problemWith } from "../../../lib/rules.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { Pills } from "../../../ui/fields/pills.tsx";
import { useFocusBack } from "../../../ui/focus-back.ts";
import { StarIcon } from "../../../ui/icons.ts";
import { ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { useSayDiet } from "../../places/mutations.ts";
import { usePlanAction } from "../../plans/actions.ts";
import { chosenPlace, stateOfMember } from "../../plans/domain.ts";
import { ratePlan } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import { planQueries } from "../../plans/queries.ts";
import { type Plan, type Rating, ratingComment } from "../../plans/schema.ts";
import { nextOf } from "../../plans/tally.ts";
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
      {nextOf(plan, me, now, { rated: mine !== undefined }) === "rate" ? null : (
        <RateForm plan={plan} me={me} mine={mine ?? null} />
      )}
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

/** The question on the ticket. */
export function RateHere({ plan, me }: { plan: Plan; me: string }) {
  return (
    <RateForm plan={plan} me={me} mine={null}>
      <ButtonLink look="plain" to="/plans/$id" params={{ id: plan.id }} search={{ tab: "photos" }} replace>
        {dayWords().rate.photo}
      </ButtonLink>
    </RateForm>
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
/** Of a diet that needs an answer from the kitchen: a claim about the place. */
const says = ["yes", "no", "unknown"] as const;
type Said = (typeof says)[number];

const founds = ["yes", "no"] as const;

function RateForm({
  plan,
  me,
  mine,
  children,
}: {
  plan: Plan;
  me: string;
  mine: Rating | null;
  /** Further actions. */
  children?: ReactNode;
}) {
  const words = dayWords().rate;
  const announce = useAnnounce();
  useFocusBack();
  const place = chosenPlace(plan);
  const diets = plan.plan_members.find((member) => member.user_id === me)?.profiles?.diets ?? [];
  // An answer that was given stays in the form, also when the person eats otherwise now.
  const answered = [...(mine?.ate ?? []), ...(mine?.lacked ?? [])];
  const asked = place && !place.home ? [...new Set([...diets, ...answered])] : [];
  /** By diet, whether there was a proper meal. */
  const [meals, setMeals] = useState<Partial<Record<Diet, "yes" | "no">>>(() =>
    Object.fromEntries([
      ...(mine?.ate ?? []).map((diet) => [diet, "yes"]),
      ...(mine?.lacked ?? []).map((diet) => [diet, "no"]),
    ]),
  );
  const mealsOf = (answer: "yes" | "no") => [...mealDiets].filter((diet) => meals[diet] === answer);
  const [safe, setSafe] = useState<Partial<Record<Diet, Said>>>({});
  const sayDiet = useSayDiet(place?.id ?? "");
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
        const rate = async () => {
          for (const [diet, said] of Object.entries(safe) as [Diet, Said][])
            if (said !== "unknown") await sayDiet.mutateAsync({ diet, holds: said === "yes" });
          await ratePlan(plan.id, { stars: given, comment, ate: mealsOf("yes"), lacked: mealsOf("no") });
        };
        action.mutate(rate, {
          // The channel notifies the others; the person's own screen does not wait for it.
          onSuccess: () => {
            announce(words.saved);
            return queries.invalidateQueries({ queryKey: ["ratings"] });
          },
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
      {asked.map((diet) =>
        mealDiets.has(diet) ? (
          <Pills
            key={diet}
            title={words.meal(peopleWords().diets[diet])}
            help={words.mealHelp}
            value={meals[diet] ?? null}
            options={founds.map((found) => [found, words.found[found]] as const)}
            onChange={(found) => setMeals({ ...meals, [diet]: found })}
          />
        ) : mine ? null : (
          <Pills
            key={diet}
            title={words.safeFor(peopleWords().diets[diet])}
            value={safe[diet] ?? "unknown"}
            options={says.map((said) => [said, words.says[said]] as const)}
            onChange={(said) => setSafe({ ...safe, [diet]: said })}
          />
        ),
      )}
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <p role="status" className="text-sm text-yes empty:hidden">
        {action.isSuccess ? words.saved : ""}
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" look="action" busy={action.isPending} isDisabled={given === 0}>
          {mine ? words.change : words.rate}
        </Button>
        {children}
      </div>
    </Form>
  );
}
