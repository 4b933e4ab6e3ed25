/**
 * Owns: reading the busy times out of an iCalendar file (RFC 5545). The parser is fetched when it is first
 * needed. Only intervals come out: what the events are called stays in the file.
 */
import type IcalNamespace from "ical.js";
import { AppError } from "../../lib/errors.ts";
import { instantOf } from "../../lib/time.ts";
import { type Busy, merge } from "./busy.ts";
import { calendarWords } from "./words.ts";

type Ical = typeof IcalNamespace;

/** A rule that repeats every second would otherwise never end. */
const MOST_OCCURRENCES = 4000;

/**
 * @param text the file
 * @param zone IANA name; whose wall "floating" times and whole days are on
 * @param from ms; with `until`, the window that is looked at
 * @throws AppError (invalid) when it is not a calendar
 */
export async function readBusy(text: string, zone: string, from: number, until: number): Promise<Busy[]> {
  const { default: ical } = await import("ical.js");
  try {
    return busyIn(ical, text, zone, from, until);
  } catch (cause) {
    const { unreadable } = calendarWords();
    throw new AppError("invalid", "not_a_calendar", unreadable.message, unreadable.hint, cause);
  }
}

function busyIn(ical: Ical, text: string, zone: string, from: number, until: number): Busy[] {
  const root = new ical.Component(ical.parse(text) as unknown[]);
  if (root.name !== "vcalendar") throw new Error(`A ${root.name} is not a calendar.`);
  for (const rules of root.getAllSubcomponents("vtimezone")) {
    ical.TimezoneService.register(new ical.Timezone(rules));
  }
  const components = root.getAllSubcomponents("vevent").filter(takesTime);
  const exceptions = components.filter((each) => each.hasProperty("recurrence-id"));
  const busy: Busy[] = [];
  const add = (start: IcalNamespace.Time, end: IcalNamespace.Time, of: IcalNamespace.Component) => {
    const interval = { start: instant(start, of, zone), end: instant(end, of, zone) };
    if (interval.end > from && interval.start < until) busy.push(interval);
  };
  for (const component of components) {
    if (component.hasProperty("recurrence-id")) continue;
    const event = new ical.Event(component);
    if (!event.isRecurring()) {
      add(event.startDate, event.endDate, component);
      continue;
    }
    for (const exception of exceptions) {
      if (exception.getFirstPropertyValue("uid") === event.uid) event.relateException(exception);
    }
    const occurrences = event.iterator();
    for (let count = 0; count < MOST_OCCURRENCES; count += 1) {
      const next = occurrences.next();
      if (!next || instant(next, component, zone) >= until) break;
      const { startDate, endDate, item } = event.getOccurrenceDetails(next);
      add(startDate, endDate, item.component);
    }
  }
  return merge(busy);
}

/** Cancelled events and those marked as free do not count as busy. */
function takesTime(event: IcalNamespace.Component): boolean {
  const value = (name: string) => String(event.getFirstPropertyValue(name) ?? "").toUpperCase();
  return event.hasProperty("dtstart") && value("status") !== "CANCELLED" && value("transp") !== "TRANSPARENT";
}

/**
 * The moment that an event's time means. The platform's own zones are newer than those that calendars carry
 * along; theirs are used where the platform does not know the name.
 */
function instant(time: IcalNamespace.Time, event: IcalNamespace.Component, zone: string): number {
  const named = event.getFirstProperty("dtstart")?.getParameter("tzid");
  const tzid = typeof named === "string" ? named : null;
  if (time.zone?.tzid === "UTC" || (tzid !== null && !known(tzid))) return time.toUnixTime() * 1000;
  const two = (part: number) => String(part).padStart(2, "0");
  return Date.parse(
    instantOf(
      `${String(time.year).padStart(4, "0")}-${two(time.month)}-${two(time.day)}`,
      time.isDate ? "00:00" : `${two(time.hour)}:${two(time.minute)}`,
      tzid ?? zone,
    ),
  );
}

function known(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
