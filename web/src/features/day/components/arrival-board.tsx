/**
 * Owns: the arrival board: who has not left, who is on the way, who is here. Like a departure board it is dark
 * by day, too.
 */
import { useEffect, useRef } from "react";
import { clockOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { formatMetres, metresBetween } from "../../map/geometry.ts";
import { faceOf } from "../../people/queries.ts";
import { isPlaced } from "../../places/schema.ts";
import { minutesAway } from "../../plans/arrival.ts";
import { chosenPlace } from "../../plans/domain.ts";
import { firstName } from "../../plans/names.ts";
import type { Member, Plan } from "../../plans/schema.ts";
import { arrivalsOf, isOverdue, isUnsure, newsOf } from "../arrivals.ts";
import type { BoardProps } from "../positions.ts";
import { dayWords } from "../words.ts";

export function ArrivalBoard({ plan, me, now, positions }: BoardProps) {
  const words = dayWords().board;
  const expected = arrivalsOf(plan, now);
  const counted = expected.filter((member) => !isUnsure(plan, member, now)).length;
  const here = expected.filter((member) => member.arrivals?.status === "arrived").length;
  useNews(plan, me, now);
  return (
    <div className="@container overflow-hidden rounded-m border border-line bg-ground text-ink [color-scheme:dark]">
      <p className="numerals flex justify-between gap-4 px-4 pt-3 text-sm text-glow">
        {expected.length === 0 ? words.nobody : words.hereOf(here, counted)}
      </p>
      <table className="numerals w-full table-fixed text-left">
        <caption className="sr-only">{words.caption}</caption>
        <thead className="text-xs tracking-wide text-ink-soft @max-[15rem]:sr-only">
          <tr>
            <th scope="col" className="py-2 pr-1 pl-3 font-normal sm:px-4">
              {words.guest}
            </th>
            <th scope="col" className="w-20 px-1 py-2 text-right font-normal sm:w-28">
              {words.expected}
            </th>
            <th scope="col" className="py-2 pr-3 pl-2 font-normal sm:px-4">
              {words.status}
            </th>
          </tr>
        </thead>
        <tbody>
          {expected.map((member) => (
            <Row key={member.user_id} member={member} plan={plan} now={now} positions={positions} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ member, plan, now, positions }: Omit<BoardProps, "me"> & { member: Member }) {
  const words = dayWords().board;
  const arrival = member.arrivals;
  const place = chosenPlace(plan);
  const at = positions.get(member.user_id);
  return (
    // In large letters three columns would be a few letters wide: the name takes a row of its own.
    <tr className="border-t border-line @max-[15rem]:flex @max-[15rem]:flex-wrap @max-[15rem]:items-baseline">
      <th
        scope="row"
        className="py-3 pr-1 pl-3 text-base font-semibold sm:px-4 @max-[15rem]:basis-full @max-[15rem]:pb-0"
      >
        <span className="flex min-w-0 items-center gap-2">
          <span className="max-sm:hidden">
            <Avatar face={faceOf(member.user_id, member.profiles)} size={28} />
          </span>
          <span className="min-w-0 break-words">{firstName(plan, member.user_id)}</span>
        </span>
      </th>
      <td className="px-1 py-3 text-right text-base whitespace-nowrap sm:text-lg @max-[15rem]:pl-3">
        {arrival?.status === "on_the_way" && arrival.eta ? clockOf(arrival.eta, plan.time_zone) : "–"}
      </td>
      <td
        className={`py-3 pr-3 pl-2 sm:px-4 ${arrival?.status === "arrived" ? "font-semibold text-glow" : ""}`}
      >
        {statusWords(plan, member, now)}
        {at && place && isPlaced(place) && arrival?.status !== "arrived" ? (
          <span className="block text-sm text-ink-soft">
            {words.away(formatMetres(metresBetween(at, place)))}
          </span>
        ) : null}
      </td>
    </tr>
  );
}

export function statusWords(plan: Plan, member: Member, now: number): string {
  const words = dayWords().board;
  const { arrivals } = member;
  if (isUnsure(plan, member, now)) return words.unsure;
  if (arrivals?.status === "arrived") return words.here;
  if (arrivals?.status !== "on_the_way") return words.notLeft;
  const minutes = minutesAway(arrivals.eta, now);
  if (minutes === null || isOverdue(arrivals.eta, now)) return words.onTheWay;
  return minutes === 0 ? words.anyMoment : words.minutes(minutes);
}

/** Announces people who left or arrived to screen readers. */
function useNews(plan: Plan, me: string, now: number) {
  const announce = useAnnounce();
  const before = useRef(plan.plan_members);
  useEffect(() => {
    const words = dayWords().news;
    const news = newsOf(before.current, plan.plan_members).filter(({ person }) => person !== me);
    before.current = plan.plan_members;
    if (news.length === 0) return;
    announce(
      news
        .map(({ person, status, eta }) =>
          status === "arrived"
            ? words.here(firstName(plan, person))
            : words.left(firstName(plan, person), minutesAway(eta, now)),
        )
        .join(" "),
    );
  }, [plan, me, now, announce]);
}
