/** Owns: exporting a decided meal: to a calendar, as a picture, and to people. */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { CalendarIcon } from "../../../ui/icons.ts";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { calendarFile, googleLink, type MealEvent, outlookLink } from "../../calendar/meal-event.ts";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { SavePicture } from "./save-picture.tsx";

const CalendarFeed = lazyOptional(
  async () => (await import("../../mail/components/mail-settings.tsx")).CalendarFeed,
);

const option =
  "inline-flex min-h-11 items-center justify-center rounded-full border border-edge bg-card px-5 font-semibold hover:bg-card-warm";

interface TicketActionsProps {
  plan: Plan;
  me: string;
  now: number;
  /** Shares the plan. */
  share: ReactNode;
}

export function TicketActions({ plan, me, now, share }: TicketActionsProps) {
  const words = planWords().ticket;
  const time = chosenTime(plan);
  const place = chosenPlace(plan);
  if (!time) return null;
  const meal: MealEvent = {
    id: plan.id,
    title: plan.title,
    startsAt: time.starts_at,
    endsAt: time.ends_at,
    place: [place?.name, place?.address].filter(Boolean).join(", "),
    revision: plan.revision,
    url: new URL(`/plans/${plan.id}`, location.origin).href,
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3">
      <Sheet
        title={words.calendar}
        trigger={
          <Button>
            <CalendarIcon aria-hidden className="size-5" /> {words.calendar}
          </Button>
        }
      >
        {() => (
          <div className="flex flex-col gap-2">
            <a
              className={option}
              download="nosh.ics"
              href={`data:text/calendar;charset=utf-8,${encodeURIComponent(calendarFile(meal, new Date().toISOString()))}`}
            >
              {words.calendarFile}
            </a>
            <a className={option} href={googleLink(meal)} target="_blank" rel="noreferrer">
              {words.calendarOf("Google Calendar")}
            </a>
            <a className={option} href={outlookLink(meal)} target="_blank" rel="noreferrer">
              {words.calendarOf("Outlook")}
            </a>
            <CalendarFeed />
          </div>
        )}
      </Sheet>
      {share}
      <SavePicture plan={plan} me={me} now={now} />
    </div>
  );
}
