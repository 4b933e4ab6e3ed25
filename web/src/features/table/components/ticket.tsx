/** Owns: the ticket of a confirmed plan, and the answer to "are you coming". */

import { type ReactNode, useEffect } from "react";
import { isSeated, type PersonState } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import { isOnline } from "../../../lib/device/online.ts";
import { clockOf, dayOf, formatRelative, formatTime, lengthOf, yourTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { DirectionsLink } from "../../map/components/directions-link.tsx";
import { hasDirections } from "../../map/directions.ts";
import { onOutcome } from "../../outbox/device.ts";
import { enqueue } from "../../outbox/mutations.ts";
import { ContactLinks } from "../../places/components/contact-links.tsx";
import type { Answer, Rsvp } from "../../plans/answers.ts";
import { AnswerToggle } from "../../plans/components/answer-toggle.tsx";
import { choiceMark } from "../../plans/decision.ts";
import { unsafeText } from "../../plans/diet-texts.ts";
import {
  chosenPlace,
  chosenTime,
  isMoved,
  refusedPlace,
  seatedOf,
  stateOf,
  stateOfMember,
} from "../../plans/domain.ts";
import { useSafety } from "../../plans/eaten.ts";
import type { Member, Plan } from "../../plans/schema.ts";
import { seatsTaken } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";
import { tableWords } from "../../plans/words/table.ts";
import { TicketActions } from "./ticket-actions.tsx";

/** Last on the ticket: nothing moves under a finger when it is there. */
const Booking = lazyOptional(async () => (await import("./booking.tsx")).Booking);

interface TicketProps {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  host: boolean;
  /** Adds the place; for hosts, shown while it is to be decided. */
  addPlace?: ReactNode;
  share: ReactNode;
  /** How it was, once the meal is over. */
  rate?: ReactNode;
}

export function Ticket({ plan, me, now, viewerZone, host, addPlace, share, rate }: TicketProps) {
  const words = planWords().ticket;
  const time = chosenTime(plan);
  const place = chosenPlace(plan);
  const mine = plan.plan_members.find((member) => member.user_id === me);
  const state = stateOf(plan, now);
  if (!time) return null;
  const yours = yourTime(time.starts_at, plan.time_zone, viewerZone);
  return (
    <article
      {...choiceMark}
      aria-label={words.name}
      className="rise overflow-hidden rounded-m border border-line bg-card shadow-lift"
    >
      <div className="flex flex-wrap items-stretch overflow-hidden">
        <div className="numerals flex min-w-28 flex-[1_0_auto] flex-col items-center whitespace-nowrap justify-center gap-1 bg-ink px-3 py-5 text-center text-card">
          <span className="text-sm">{dayOf(time.starts_at, plan.time_zone)}</span>
          <span className="text-xl leading-none font-semibold">
            {clockOf(time.starts_at, plan.time_zone)}
          </span>
          <span className="text-sm">{formatRelative(time.starts_at, now, plan.time_zone)}</span>
        </div>
        <div className="flex min-w-0 flex-[999_1_8rem] flex-col justify-center gap-1 relative border-l-2 border-dashed border-ground p-4 before:absolute before:-top-2 before:-left-[9px] before:size-4 before:rounded-full before:bg-ground after:absolute after:-bottom-2 after:-left-[9px] after:size-4 after:rounded-full after:bg-ground">
          {place || state === "confirmed" ? (
            <h2 className="text-lg leading-tight">{place?.name ?? tableWords().placeOpen}</h2>
          ) : null}
          {place?.address ? <p className="text-sm text-ink-soft">{place.address}</p> : null}
          <p className="text-sm text-ink-soft">
            {lengthOf(time.starts_at, time.ends_at)}
            {yours ? `, ${yours}` : ""} ·{" "}
            <span className="inline-block">
              {state === "done"
                ? tableWords().card.came(seatsTaken(plan, now))
                : words.coming(seatsTaken(plan, now), plan.capacity)}
            </span>
          </p>
          {place || state !== "confirmed" ? null : addPlace}
          {place ? (
            <div className="flex flex-wrap items-center gap-x-4 empty:hidden">
              {hasDirections(place) ? <DirectionsLink place={place} /> : null}
              <ContactLinks place={place} />
            </div>
          ) : null}
        </div>
      </div>
      {state === "done" ? rate : null}
      {state === "confirmed" && isMoved(plan) ? (
        <p className="border-t border-line px-4 py-3 text-sm">{words.moved(movedFrom(plan))}</p>
      ) : null}
      {state === "confirmed" ? <NotSafe plan={plan} now={now} /> : null}
      {mine && state === "confirmed" ? <RsvpBar plan={plan} mine={mine} now={now} /> : null}
      {state === "confirmed" ? <TicketActions plan={plan} me={me} now={now} share={share} /> : null}
      {state === "confirmed" && place && !place.home ? (
        <Booking plan={plan} me={me} now={now} host={host} />
      ) : null}
    </article>
  );
}

/** The time and place before the hosts changed them. */
function movedFrom(plan: Plan): string {
  const time = plan.time_options.find((option) => option.id === plan.moved_from_time_id);
  const place = plan.place_options.find((option) => option.id === plan.moved_from_place_id)?.places;
  return [time ? formatTime(time.starts_at, plan.time_zone, plan.time_zone) : null, place?.name]
    .filter((part) => part)
    .join(", ");
}

/** Names of the people that the chosen place is not known to be safe for. */
function NotSafe({ plan, now }: { plan: Plan; now: number }) {
  const place = chosenPlace(plan);
  const coming = plan.plan_members.filter((member) => stateOfMember(plan, member, now) !== "not_coming");
  const { unknown } = useSafety(place, coming);
  const text = unsafeText(plan, unknown);
  return text && <p className="border-t border-line px-4 py-3 text-sm font-semibold">{text}</p>;
}

const RSVPS = { yes: "going", if_need_be: "maybe", no: "declined" } as const;

function RsvpBar({ plan, mine, now }: { plan: Plan; mine: Member; now: number }) {
  const words = planWords().ticket;
  const announce = useAnnounce();
  const state = stateOfMember(plan, mine, now);
  const selected = answerOf(state);
  const answer = (rsvp: Rsvp, plusOnes: number) => {
    enqueue({ kind: "rsvp", plan_id: plan.id, answer: rsvp, plus_ones: plusOnes });
    if (!isOnline()) announce(words.waiting);
  };
  useEffect(
    () =>
      onOutcome(({ mutation }, outcome) => {
        if (mutation.plan_id !== plan.id || !("rsvp" in outcome)) return;
        announce(outcome.rsvp === "waitlisted" ? words.waitlisted : words.answered);
      }),
    [plan.id, announce, words],
  );
  return (
    <div className="flex flex-col gap-3 border-t border-line p-4">
      <AnswerToggle
        label={words.question}
        answers={words.choices}
        value={selected}
        disabled={false}
        onChange={(given) => given && answer(RSVPS[given], mine.plus_ones)}
      />
      {state === "asked" && refusedPlace(seatedOf(plan, mine), isMoved(plan)) ? (
        <p className="text-sm text-ink-soft">{words.refusedPlace}</p>
      ) : null}
      {selected !== null && isByVote(plan, mine, state) ? (
        <p className="text-sm text-ink-soft">{words.byVote}</p>
      ) : null}
      {state === "waitlisted" ? (
        <p className="text-sm">{words.inLine(waitlistPlace(plan, mine, now))}</p>
      ) : null}
      {selected === "yes" ? (
        <label className="flex items-center gap-2 text-sm">
          {words.bringing}
          <select
            value={mine.plus_ones}
            onChange={(event) => answer("going", Number(event.target.value))}
            className="min-h-9 rounded-s border border-edge bg-card px-2"
          >
            {[0, 1, 2, 3, 4, 5].map((number) => (
              <option key={number} value={number}>
                {words.party(number)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </div>
  );
}

/** Whether what is shown of a member follows from their vote: they have said nothing since, and not set out. */
function isByVote(
  plan: Plan,
  { rsvp, user_id }: Pick<Member, "rsvp" | "user_id">,
  state: PersonState,
): boolean {
  return (
    rsvp === "pending" &&
    state !== "on_the_way" &&
    state !== "here" &&
    (chosenTime(plan)?.time_votes.some((vote) => vote.user_id === user_id) ?? false)
  );
}

/** The answer that stands for a person's state; null for one who is asked. */
function answerOf(state: PersonState): Answer | null {
  if (state === "maybe") return "if_need_be";
  if (state === "not_coming") return "no";
  return state === "waitlisted" || isSeated(state) ? "yes" : null;
}

function waitlistPlace(plan: Plan, mine: Member, now: number): number {
  const line = plan.plan_members
    .filter((member) => stateOfMember(plan, member, now) === "waitlisted")
    .toSorted((a, b) => Date.parse(a.waitlisted_at ?? "") - Date.parse(b.waitlisted_at ?? ""));
  return line.findIndex((member) => member.user_id === mine.user_id) + 1;
}
