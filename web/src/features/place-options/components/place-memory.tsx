/** Owns: a place's history with the person's own tables: their ratings, and its plans. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { dayOf, monthOf } from "../../../lib/time.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { StarIcon } from "../../../ui/icons.ts";
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import type { Place } from "../../places/schema.ts";
import { placeWords } from "../../places/words.ts";
import { type PlanAt, relatedQueries } from "../../plans/cards/related.ts";
import { stateAt } from "../../plans/domain.ts";
import { planQueries } from "../../plans/queries.ts";
import type { Rating } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";

export function PlaceMemory({ place, now }: { place: Place; now: number }) {
  const words = placeWords().place;
  const plans = useQuery(relatedQueries.at(place.id));
  const ratings = useQuery(planQueries.ratings());
  const on = plans.data ?? [];
  const given = (ratings.data ?? []).filter((rating) => rating.place_id === place.id);
  const mean = given.reduce((sum, rating) => sum + rating.stars, 0) / Math.max(given.length, 1);
  return (
    <>
      <section aria-label={words.ratings} className="flex flex-col gap-3">
        <h2 className="text-lg">{words.yourMeals}</h2>
        {ratings.isError ? (
          <ErrorNotice error={ratings.error} retry={() => void ratings.refetch()} />
        ) : ratings.isPending ? (
          <Skeleton className="h-12 w-64" />
        ) : given.length === 0 ? (
          <p className="text-ink-soft">{words.notYet}</p>
        ) : (
          <>
            <p className="numerals flex items-center gap-1.5 text-lg font-semibold">
              <StarIcon aria-hidden className="size-5 fill-maybe text-maybe" />
              {words.mean(mean, given.length)}
            </p>
            <ul className="flex flex-col gap-3">
              {given.map((rating) => {
                const plan = plans.data?.find((one) => one.id === rating.plan_id);
                const member = plan?.plan_members.find((one) => one.user_id === rating.user_id);
                const face = faceOf(rating.user_id, member?.profiles ?? null);
                return (
                  <li key={`${rating.plan_id} ${rating.user_id}`} className="flex items-start gap-3">
                    <Avatar face={face} size={32} />
                    <p className="min-w-0 break-words">
                      <span className="text-sm text-ink-soft">
                        {words.gave(face.name.split(" ")[0] ?? face.name, rating.stars)}
                      </span>
                      {mealsOf(rating, place, now).map((line) => (
                        <span key={line} className="block text-sm text-ink-soft">
                          {line}
                        </span>
                      ))}
                      {rating.comment ? <span className="block">{rating.comment}</span> : null}
                    </p>
                  </li>
                );
              })}
            </ul>
          </>
        )}
      </section>
      {on.length > 0 ? (
        <section aria-label={words.plans}>
          <h2 className="mb-1 text-lg">{words.plans}</h2>
          <ul>
            {on.map((plan) => (
              <li key={plan.id}>
                <Link
                  to="/plans/$id"
                  params={{ id: plan.id }}
                  search={{ tab: "where" }}
                  className="flex min-h-11 flex-wrap items-baseline justify-between gap-x-4 border-b border-line py-2 hover:bg-card-warm"
                >
                  <span className="font-semibold break-words">{plan.title}</span>
                  <span className="text-sm text-ink-soft">{whenOf(plan, now)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

/** What the person said of their own meal, by each diet. */
function mealsOf({ ate, lacked, eaten_at }: Rating, place: Place, now: number): string[] {
  if (!eaten_at) return [];
  const { had, hadNone } = placeWords().place;
  const { diets } = peopleWords();
  const month = monthOf(eaten_at, now, place.time_zone);
  return [
    ...ate.map((diet) => had(diets[diet], month)),
    ...lacked.map((diet) => hadNone(diets[diet], month)),
  ];
}

function whenOf(plan: PlanAt, now: number): string {
  const time = plan.time_options;
  const state = stateAt(plan.status, time?.ends_at ?? null, now);
  if (time && state !== "cancelled") return dayOf(time.starts_at, plan.time_zone);
  return planWords().states[state];
}
