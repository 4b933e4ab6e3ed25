/** Owns: exporting a decided meal: to a calendar, as a picture, and to people with the device's share sheet. */
import { useChange } from "../../../lib/change.ts";
import { formatTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CalendarIcon } from "../../../ui/icons.ts";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { calendarFile, googleLink, type MealEvent, outlookLink } from "../../calendar/meal-event.ts";
import { CopyLink } from "../../invites/components/copy-link.tsx";
import { inviteToShare } from "../../invites/fresh.ts";
import { inviteWords } from "../../invites/words.ts";
import { chosenPlace, chosenTime, isHost } from "../../plans/domain.ts";
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
  viewerZone: string;
}

export function TicketActions({ plan, me, now, viewerZone }: TicketActionsProps) {
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
  // The address of a home is for the people at the table.
  const where = place?.place_homes ? place.name : meal.place;
  const text = words.shared(plan.title, where, formatTime(time.starts_at, plan.time_zone, viewerZone));
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
      <Share plan={plan} host={isHost(plan, me)} text={text} />
      <SavePicture plan={plan} me={me} now={now} />
    </div>
  );
}

/** Shares an invite link for hosts, as anybody may join by it, and the plan's own link for guests. */
function Share({ plan, host, text }: { plan: Plan; host: boolean; text: string }) {
  const words = planWords().ticket;
  const share = useChange(async () => {
    const url = host
      ? await inviteToShare({ kind: "plan", id: plan.id })
      : new URL(`/plans/${plan.id}`, location.origin).href;
    return { url, outcome: await handOn({ title: plan.title, text, url }) };
  }, ["invites", plan.id]);
  const { outcome, url = "" } = share.data ?? {};
  return (
    <>
      <Button busy={share.isPending} onPress={() => share.mutate()}>
        {words.share}
      </Button>
      <p role="status" className="order-last text-sm empty:hidden">
        {outcome === "copied" ? words.copied : outcome === "refused" ? words.notCopied : ""}
      </p>
      {outcome === "refused" ? (
        <div className="order-last w-full">
          <CopyLink label={inviteWords().link.heading} address={url} look="quiet" />
        </div>
      ) : null}
      {share.isError ? <ErrorNotice error={share.error} /> : null}
    </>
  );
}

/** Gives a link to the device's share sheet, or else to the clipboard. Dismissing the sheet is not an error. */
async function handOn(data: { title: string; text: string; url: string }) {
  try {
    if (navigator.canShare?.(data)) {
      await navigator.share(data);
      return "shared";
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "shared";
  }
  return navigator.clipboard.writeText(`${data.text}\n${data.url}`).then(
    () => "copied" as const,
    () => "refused" as const,
  );
}
