/** Owns: a plan's card on the home screen and in a circle. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { tabWhere } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { formatRelative, formatTime } from "../../../lib/time.ts";
import { CalendarIcon, ClockIcon, MapPinIcon, MessageIcon } from "../../../ui/icons.ts";
import { cardSeatsTaken, cardState, waitsFor } from "../../plans/cards/card.ts";
import type { Card } from "../../plans/cards/schema.ts";
import { tableWords } from "../../plans/words/table.ts";
import { drawnSeats } from "../drawn-seats.ts";
import { TableDrawing } from "./table-drawing.tsx";

interface PlanCardProps {
  plan: Card;
  now: number;
  viewerZone: string;
  /** Unread messages. */
  unread?: number;
  /** Whether the people at the table are drawn; without them it has the same size and description. */
  peopleDrawn?: boolean;
}

interface FactProps {
  icon: typeof ClockIcon;
  className?: string;
  children: ReactNode;
}

export function PlanCard({ plan, now, viewerZone, unread = 0, peopleDrawn = true }: PlanCardProps) {
  const words = tableWords().card;
  const state = cardState(plan, now);
  const waiting = waitsFor(plan, now);
  const quiet = state === "done" || state === "cancelled";
  return (
    <Link
      to="/plans/$id"
      params={{ id: plan.id }}
      search={{ tab: tabWhere(waiting) }}
      className={`paper settle group flex h-full items-center gap-4 p-4 transition-colors duration-150 hover:bg-card-warm ${waiting ? "border-l-4 border-l-action" : ""}`}
    >
      <TableDrawing
        label={plan.title}
        seats={drawnSeats(plan, now)}
        peopleDrawn={peopleDrawn}
        className={`w-28 shrink-0 sm:w-32 ${quiet ? "opacity-60 grayscale-[0.4]" : ""}`}
      />
      <span className="flex min-w-0 flex-col gap-1">
        <span className="font-display text-lg leading-tight break-words">{plan.title}</span>
        {waiting ? <span className="text-sm font-semibold text-action">{words.next[waiting]}</span> : null}
        {state === "cancelled" ? (
          <span className="text-sm font-semibold text-no">{words.cancelled}</span>
        ) : null}
        {plan.starts_at && state !== "cancelled" ? (
          <Fact icon={CalendarIcon}>
            {formatTime(plan.starts_at, plan.time_zone, viewerZone)}
            <span data-live className="text-ink">
              {" "}
              · {formatRelative(plan.starts_at, now, plan.time_zone)}
            </span>
          </Fact>
        ) : null}
        {state === "confirmed" || (plan.place_name && state === "done") ? (
          <Fact icon={MapPinIcon}>{plan.place_name ?? tableWords().placeOpen}</Fact>
        ) : null}
        {state === "polling" ? (
          <Fact icon={ClockIcon}>
            {words.options(plan.times, plan.places)}
            {plan.vote_deadline ? (
              <span data-live>, {words.closes(formatRelative(plan.vote_deadline, now, plan.time_zone))}</span>
            ) : null}
          </Fact>
        ) : null}
        {state === "polling" && plan.voted > 0 && plan.voted < plan.times ? (
          <span className="text-sm text-ink-soft">{words.youAnswered(plan.voted, plan.times)}</span>
        ) : null}
        {state === "confirmed" ? (
          <span className="text-sm text-ink-soft">{words.coming(cardSeatsTaken(plan, now))}</span>
        ) : null}
        {unread > 0 ? (
          <Fact icon={MessageIcon} className="font-semibold text-ink">
            {words.unread(unread)}
          </Fact>
        ) : null}
      </span>
    </Link>
  );
}

function Fact({ icon: Icon, className = "text-ink-soft", children }: FactProps) {
  return (
    <span className={`flex items-start gap-1.5 text-sm ${className}`}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </span>
  );
}
