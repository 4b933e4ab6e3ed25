/** Owns: the proposal as a menu card: the pair, the reasons for it, the time to object, and the host's "Confirm now". */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { reasonsFor, reasonText } from "../../../../../supabase/functions/_shared/ranking/reasons.ts";
import { saidNo } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import { clockOf, dateOf, dayOf, formatRelative, formatTime, yourTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { speakerOf } from "../../matches/components/reason-texts.ts";
import { inputOf, rankPairs } from "../../matches/ranking.ts";
import { pictureQueries } from "../../pictures/queries.ts";
import type { Place } from "../../places/schema.ts";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { confirmPlan } from "../../plans/choices.ts";
import { planQueries } from "../../plans/queries.ts";
import type { TimeOption } from "../../plans/schema.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { tableWords } from "../../plans/words/table.ts";
import { useVeto } from "../veto.ts";
import { decidingWords } from "../words.ts";
import { VetoForm } from "./veto-form.tsx";

export function Proposal({
  plan,
  me,
  now,
  viewerZone,
  host,
  time,
  place,
}: TabProps & { time: TimeOption; place: Place | null }) {
  const words = decidingWords().proposal;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const reasons = useReasons(plan, now);
  const yours = yourTime(time.starts_at, plan.time_zone, viewerZone);
  const declined = plan.plan_members.some((member) => member.user_id === me && saidNo(member));
  const open = plan.veto_until !== null && Date.parse(plan.veto_until) > now;
  const veto = useVeto(plan);
  const confirm = () =>
    action.mutate(async () => {
      await makeOnce(
        plan.id,
        () => confirmPlan(plan.id, time.id, plan.proposed_place_id, []),
        (current) => current.status === "confirmed" && current.chosen_time_id === time.id,
      );
      // Announced here: the card is removed as soon as the plan is read again.
      announce(words.confirmed);
    });
  return (
    <article aria-label={words.name} className="turn rounded-m border border-line bg-card p-2 shadow-lift">
      <div className="flex flex-col items-center gap-3 rounded-s border border-edge/60 px-4 py-5 text-center">
        <p className="text-sm text-ink-soft italic">{words.best}</p>
        <div className="numerals text-lg leading-tight">
          <p aria-hidden>
            {dayOf(time.starts_at, plan.time_zone)},{" "}
            <span className="font-semibold">{clockOf(time.starts_at, plan.time_zone)}</span>
            {yours ? <span className="block text-sm text-ink-soft">{yours}</span> : null}
          </p>
          <p className="sr-only">{formatTime(time.starts_at, plan.time_zone, viewerZone)}</p>
          {place ? <p className="text-sm text-ink-soft italic">{words.at}</p> : null}
        </div>
        <h2 className="-mt-2 text-xl break-words">{place?.name ?? tableWords().placeOpen}</h2>
        {reasons.length > 0 ? (
          <ul className="flex flex-col gap-0.5 text-sm">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        ) : null}
        <p className="border-t border-dashed border-edge pt-3 font-semibold">
          {open ? words.until(whenOf(plan.veto_until ?? "", now, viewerZone)) : words.soon}
        </p>
        {action.isError ? <ErrorNotice error={action.error} /> : null}
        <div className="flex flex-wrap justify-center gap-2">
          {host ? (
            <Button look="action" busy={action.isPending} onPress={confirm}>
              {words.confirm}
            </Button>
          ) : null}
          {open && !declined && !veto.waiting ? (
            <Sheet
              title={decidingWords().veto.title}
              trigger={<Button busy={veto.sending}>{words.object}</Button>}
            >
              {(close) => <VetoForm object={veto.object} close={close} />}
            </Sheet>
          ) : null}
        </div>
        <p role="status" className="text-sm empty:hidden">
          {veto.waiting ? decidingWords().veto.waiting : null}
        </p>
        {declined ? <p className="text-sm text-ink-soft">{words.declined}</p> : null}
      </div>
    </article>
  );
}

/** The reasons for the pair, from the data that the viewer may see. */
function useReasons(plan: TabProps["plan"], now: number): string[] {
  const trips = useQuery(planQueries.trips(plan.id)).data;
  const ratings = useQuery(planQueries.ratings()).data;
  const photos = useQuery(pictureQueries.all()).data;
  return useMemo(() => {
    const input = inputOf(plan, trips ?? [], { ratings: ratings ?? [], photos: photos ?? [] }, now);
    const pair = rankPairs(input).find(
      (one) => one.timeId === plan.proposed_time_id && one.placeId === plan.proposed_place_id,
    );
    const speaker = speakerOf(plan);
    return pair ? reasonsFor(pair, input.people).map((reason) => reasonText(reason, speaker)) : [];
  }, [plan, trips, ratings, photos, now]);
}

/** "tomorrow at 09:00", in the viewer's zone, because it is the viewer who has to act by then. */
function whenOf(instant: string, now: number, zone: string): string {
  const words = decidingWords().proposal;
  const isToday = dateOf(instant, zone) === dateOf(now, zone);
  return words.relative(isToday ? words.today : formatRelative(instant, now, zone), clockOf(instant, zone));
}
