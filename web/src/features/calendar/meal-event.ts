/** Owns: a decided meal as calendars want it: an iCalendar file (RFC 5545), and the links that fill in a web calendar. Pure. */
import { escapeText, fold, instant } from "../../../../supabase/functions/_shared/calendar/ics.ts";

export interface MealEvent {
  /** The plan's id: the same meal, added twice, stays one event. */
  id: string;
  title: string;
  /** ISO 8601. */
  startsAt: string;
  endsAt: string;
  /** Empty while it is to be decided. */
  place: string;
  /** The plan's revision: a calendar replaces its entry by one with a higher number. */
  revision: number;
  /** Where the plan is on the web. */
  url: string;
}

/** The whole file. @param now ISO 8601, when it is made */
export function calendarFile(meal: MealEvent, now: string): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Nosh//Nosh//EN",
    "BEGIN:VEVENT",
    `UID:${meal.id}@nosh`,
    `SEQUENCE:${meal.revision}`,
    `DTSTAMP:${instant(now)}`,
    `DTSTART:${instant(meal.startsAt)}`,
    `DTEND:${instant(meal.endsAt)}`,
    `SUMMARY:${escapeText(meal.title)}`,
    ...(meal.place ? [`LOCATION:${escapeText(meal.place)}`] : []),
    `URL:${meal.url}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]
    .map(fold)
    .join("\r\n");
}

/** Opens Google Calendar with the event filled in. */
export function googleLink(meal: MealEvent): string {
  const search = new URLSearchParams({
    action: "TEMPLATE",
    text: meal.title,
    dates: `${instant(meal.startsAt)}/${instant(meal.endsAt)}`,
    location: meal.place,
    details: meal.url,
  });
  return `https://calendar.google.com/calendar/render?${search}`;
}

/** Opens Outlook on the web with the event filled in. */
export function outlookLink(meal: MealEvent): string {
  const search = new URLSearchParams({
    path: "/calendar/action/compose",
    rru: "addevent",
    subject: meal.title,
    startdt: new Date(meal.startsAt).toISOString(),
    enddt: new Date(meal.endsAt).toISOString(),
    location: meal.place,
    body: meal.url,
  });
  return `https://outlook.live.com/calendar/0/deeplink/compose?${search}`;
}
