/** Owns: setting the person's own arrival status with one press. */
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, NavigationIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { chosenPlace } from "../../plans/domain.ts";
import { markArrival } from "../../plans/mutations.ts";
import { planQueries } from "../../plans/queries.ts";
import type { Plan } from "../../plans/schema.ts";
import { stopSharing } from "../sharing.ts";
import { dayWords } from "../words.ts";

/** The answers to *how far are you?* */
const ETAS = [5, 10, 15, 30] as const;

export function MyArrival({ plan, me }: { plan: Plan; me: string }) {
  const words = dayWords().mine;
  const action = usePlanAction(plan.id);
  const trips = useQuery(planQueries.trips(plan.id));
  const status = plan.plan_members.find((member) => member.user_id === me)?.arrivals?.status ?? "not_left";
  const place = chosenPlace(plan);
  const trip = trips.data?.find((one) => one.user_id === me && one.place_id === place?.id)?.minutes;
  const leave = (minutes: number) => action.mutate(() => markArrival(plan.id, "on_the_way", minutes));
  const takeBack = (label: string) => (
    <Button
      look="plain"
      isDisabled={action.isPending}
      onPress={() => action.mutate(() => markArrival(plan.id, "not_left", null))}
    >
      {label}
    </Button>
  );
  if (status === "arrived") {
    return (
      <div className="flex flex-wrap items-center gap-x-3">
        <p className="text-ink-soft">{words.youAreHere}</p>
        {takeBack(words.notHere)}
        {action.isError ? <ErrorNotice error={action.error} /> : null}
      </div>
    );
  }
  return (
    <section className="paper flex flex-col gap-3 p-4">
      <h3 className="font-sans text-base font-semibold">
        {status === "on_the_way" ? words.howFar : words.leaving}
      </h3>
      <div className="flex flex-wrap gap-2">
        {status === "not_left" && trip !== undefined ? (
          <Button isDisabled={action.isPending} onPress={() => leave(trip)}>
            <NavigationIcon aria-hidden className="size-4" /> {words.trip(trip)}
          </Button>
        ) : null}
        {ETAS.filter((minutes) => status === "on_the_way" || minutes !== trip).map((minutes) => (
          <Button key={minutes} isDisabled={action.isPending} onPress={() => leave(minutes)}>
            {status === "not_left" && trip !== undefined ? null : (
              <NavigationIcon aria-hidden className="size-4" />
            )}
            {words.minutes(minutes)}
          </Button>
        ))}
        <Button
          look="action"
          busy={action.isPending}
          onPress={() => {
            // After arriving there is nothing more to share.
            stopSharing();
            action.mutate(() => markArrival(plan.id, "arrived", null));
          }}
        >
          <CheckIcon aria-hidden className="size-5" /> {words.here}
        </Button>
      </div>
      {status === "on_the_way" ? <div>{takeBack(words.notLeft)}</div> : null}
      {action.isError ? <ErrorNotice error={action.error} /> : null}
    </section>
  );
}
