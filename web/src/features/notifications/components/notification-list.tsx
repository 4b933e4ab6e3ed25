/** Owns: the list of what happened, each leading to its plan. */
import { Link } from "@tanstack/react-router";
import { browserZone, dayOf, formatRelative, formatTime } from "../../../lib/time.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { ClockIcon } from "../../../ui/icons.ts";
import { faceOf } from "../../people/queries.ts";
import { nameAmong } from "../../people/told-apart.ts";
import type { Notification } from "../queries.ts";
import { notificationWords } from "../words.ts";

export function NotificationList({ list, now }: { list: readonly Notification[]; now: number }) {
  const zone = browserZone();
  // A plan knows its last change only.
  const newestMoves = new Map(
    list
      .filter(({ kind }) => kind === "plan_moved")
      .toReversed()
      .map((one) => [one.plan_id, one.id]),
  );
  const people = list.map(({ actor_id, actor }) => ({ user_id: actor_id, profiles: actor }));
  const days = Map.groupBy(list, (one) => dayOf(one.created_at, zone));
  return (
    <div className="flex flex-col gap-6">
      {[...days].map(([day, ones]) => (
        <section key={day} aria-label={day}>
          <h2 className="mb-2 text-sm font-semibold text-ink-soft">{day}</h2>
          <ul className="paper divide-y divide-line">
            {ones.map((one) => (
              <Row
                key={one.id}
                one={one}
                who={nameAmong(people, one.actor_id)}
                change={newestMoves.get(one.plan_id) === one.id ? changeOf(one) : null}
                when={formatRelative(one.created_at, now, zone)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** What a plan's choice was before hosts changed it, and what it is. */
function changeOf({ plans }: Notification): { was: string; is: string } | null {
  if (!plans?.was_time || !plans.time) return null;
  const said = (time: { starts_at: string }, place: typeof plans.place) =>
    [formatTime(time.starts_at, plans.time_zone, plans.time_zone), place?.places?.name]
      .filter(Boolean)
      .join(", ");
  return { was: said(plans.was_time, plans.was_place), is: said(plans.time, plans.place) };
}

interface RowProps {
  one: Notification;
  who: string | undefined;
  change: ReturnType<typeof changeOf>;
  when: string;
}

function Row({ one, who, change, when }: RowProps) {
  const words = notificationWords();
  const plan = one.plans?.title ?? words.gone;
  const sentence =
    one.kind === "plan_confirmed" && one.actor_id === null
      ? words.confirmedItself(plan)
      : words.kinds[one.kind](who ?? words.someone, plan);
  const content = (
    <>
      {one.actor && one.actor_id ? (
        <Avatar face={faceOf(one.actor_id, one.actor)} size={40} />
      ) : (
        <span className="grid size-10 shrink-0 place-items-center rounded-full bg-card-warm">
          <ClockIcon aria-hidden className="size-5 text-maybe" />
        </span>
      )}
      <span className="min-w-0 flex-1 leading-snug">
        <span className={one.read_at ? "" : "font-semibold"}>{sentence}</span>
        {change ? <span className="block text-sm">{words.moved(change.was, change.is)}</span> : null}
        <span className="block text-sm text-ink-soft">
          {when}
          {one.read_at ? null : <span className="sr-only">, {words.unread}</span>}
        </span>
      </span>
      {one.read_at ? null : <span aria-hidden className="size-2.5 shrink-0 rounded-full bg-action" />}
    </>
  );
  const shape = "flex items-center gap-3 p-4";
  return (
    <li>
      {one.plans ? (
        <Link
          to="/plans/$id"
          params={{ id: one.plan_id }}
          className={`${shape} transition-colors duration-150 hover:bg-card-warm`}
        >
          {content}
        </Link>
      ) : (
        <div className={shape}>{content}</div>
      )}
    </li>
  );
}
