/** Owns: setting the person's own arrival status with one press. */
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, NavigationIcon } from "../../../ui/icons.ts";
import { enqueue } from "../../outbox/mutations.ts";
import type { ArrivalStatus } from "../../plans/answers.ts";
import { chosenPlace, stateOfMember } from "../../plans/domain.ts";
import { planQueries } from "../../plans/queries.ts";
import type { Plan } from "../../plans/schema.ts";
import { stopSharing } from "../sharing.ts";
import { dayWords } from "../words.ts";

/** The answers to *how far are you?* */
const ETAS = [5, 10, 15, 30] as const;

export function MyArrival({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const words = dayWords().mine;
  /** It shows at once; the outbox's notice shows a refusal. */
  const mark = (status: ArrivalStatus, eta: string | null = null) =>
    enqueue({ kind: "arrival", plan_id: plan.id, status, eta });
  const trips = useQuery(planQueries.trips(plan.id));
  const mine = plan.plan_members.find((member) => member.user_id === me);
  const status = mine?.arrivals?.status ?? "not_left";
  const isAway = mine !== undefined && stateOfMember(plan, mine, now) === "not_coming";
  const place = chosenPlace(plan);
  const trip = trips.data?.find((one) => one.user_id === me && one.place_id === place?.id)?.minutes;
  const leave = (minutes: number) =>
    mark("on_the_way", new Date(Date.now() + minutes * 60_000).toISOString());
  const takeBack = (label: string) => (
    <Button look="plain" onPress={() => mark("not_left")}>
      {label}
    </Button>
  );
  if (status === "arrived") {
    return (
      <div className="flex flex-wrap items-center gap-x-3">
        <p className="text-ink-soft">{words.youAreHere}</p>
        {takeBack(words.notHere)}
      </div>
    );
  }
  return (
    <section className="paper flex flex-col gap-3 p-4">
      <h3 className="font-sans text-base font-semibold">
        {status === "on_the_way" ? words.howFar : isAway ? words.comingAfterAll : words.leaving}
      </h3>
      <div className="flex flex-wrap gap-2">
        {status === "not_left" && trip !== undefined ? (
          <Button onPress={() => leave(trip)}>
            <NavigationIcon aria-hidden className="size-4" /> {words.trip(trip)}
          </Button>
        ) : null}
        {ETAS.filter((minutes) => status === "on_the_way" || minutes !== trip).map((minutes) => (
          <Button key={minutes} onPress={() => leave(minutes)}>
            {status === "not_left" && trip !== undefined ? null : (
              <NavigationIcon aria-hidden className="size-4" />
            )}
            {words.minutes(minutes)}
          </Button>
        ))}
        <Button
          look="action"
          onPress={() => {
            // After arriving there is nothing more to share.
            stopSharing();
            mark("arrived");
          }}
        >
          <CheckIcon aria-hidden className="size-5" /> {words.here}
        </Button>
      </div>
      {status === "on_the_way" ? <div>{takeBack(words.notLeft)}</div> : null}
    </section>
  );
}
