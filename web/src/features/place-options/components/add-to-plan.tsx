/** Owns: adding a place to one of the plans in voting, from the place's own page. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatRelative } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import type { Place } from "../../places/schema.ts";
import { placeWords } from "../../places/words.ts";
import { usePlanAction } from "../../plans/actions.ts";
import { type OpenPlan, relatedQueries } from "../../plans/cards/related.ts";
import { isVotingClosed } from "../../plans/domain.ts";
import { hoursAt } from "../../plans/hours-at.ts";
import { proposePlace } from "../../plans/mutations.ts";

export function AddToPlan({ place, me, now }: { place: Place; me: string; now: number }) {
  const words = placeWords().place;
  return (
    <Sheet title={words.propose} trigger={<Button look="action">{words.propose}</Button>}>
      {() => <Choose place={place} me={me} now={now} />}
    </Sheet>
  );
}

function Choose({ place, me, now }: { place: Place; me: string; now: number }) {
  const words = placeWords().place;
  const plans = useQuery(relatedQueries.openTo(me, place.id));
  const open = (plans.data ?? []).filter((plan) => mayPropose(plan, now));
  if (plans.isError) return <ErrorNotice error={plans.error} retry={() => void plans.refetch()} />;
  if (plans.isSuccess && open.length === 0) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p>{words.noPlan}</p>
        <ButtonLink to="/plans/new">{words.newPlan}</ButtonLink>
      </div>
    );
  }
  return (
    <ul className="flex flex-col gap-2">
      {open.map((plan) => (
        <li key={plan.id}>
          <Row plan={plan} place={place} now={now} />
        </li>
      ))}
    </ul>
  );
}

function Row({ plan, place, now }: { plan: OpenPlan; place: Place; now: number }) {
  const words = placeWords();
  const action = usePlanAction(plan.id);
  const announce = useAnnounce();
  const [put, setPut] = useState(false);
  const there = put || plan.place_options.length > 0;
  return (
    <div className="paper flex flex-wrap items-center justify-between gap-3 p-3">
      <p className="min-w-0 break-words">
        <span className="font-semibold">{plan.title}</span>
        {plan.vote_deadline ? (
          <span className="block text-sm text-ink-soft">
            {formatRelative(plan.vote_deadline, now, plan.time_zone)}
          </span>
        ) : null}
        {plan.time_options.length > 0 ? (
          <span className="block text-sm text-ink-soft">
            {hoursAt(place, plan.time_options, plan.time_zone)}
          </span>
        ) : null}
      </p>
      {there ? (
        <ButtonLink to="/plans/$id" params={{ id: plan.id }} search={{ tab: "where" }}>
          {words.onPlan}
        </ButtonLink>
      ) : (
        <Button
          aria-label={words.place.proposeTo(plan.title)}
          busy={action.isPending}
          onPress={() =>
            action.mutate(() => proposePlace(plan.id, place.id), {
              onSuccess: () => {
                setPut(true);
                announce(words.place.proposed(plan.title));
              },
            })
          }
        >
          {words.suggest}
        </Button>
      )}
      {action.isError ? <ErrorNotice error={action.error} /> : null}
    </div>
  );
}

function mayPropose(plan: OpenPlan, now: number): boolean {
  const host = plan.plan_members.some((member) => member.role !== "guest");
  return !isVotingClosed(plan, now) && (host || plan.guests_may_propose);
}
