/**
 * Owns: a plan as an iCalendar event (RFC 5545). The UID is the plan's and never changes, and SEQUENCE is its
 * revision, so that a calendar updates its entry instead of adding another; a cancelled plan stays as a
 * cancelled event.
 */
import { isSeated, type PersonState } from "../table/person_state.ts";

/** A plan as private.calendar_events returns it. Times are ISO 8601 instants. */
export interface CalendarEvent {
  plan_id: string;
  title: string;
  note: string;
  revision: number;
  status: "polling" | "confirmed" | "cancelled" | "done";
  /** The state of the person whose calendar it is. */
  state: PersonState;
  starts_at: string;
  ends_at: string;
  /** Null, as the address, while the place is to be decided. */
  place: string | null;
  address: string | null;
  /** Null for a place that is known by its name alone. */
  latitude: number | null;
  longitude: number | null;
  people: number;
  created_at: string;
  updated_at: string;
}

/** Refresh interval for calendars that follow a feed. */
const REFRESH = "PT30M";
/** Octets in a line, without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75;

/**
 * A calendar to follow or to import (RFC 5546, PUBLISH), with CRLF line ends. It names no organiser and nobody's address.
 * @param site the app's URL; each event links to its plan there
 */
export function calendarOf(events: readonly CalendarEvent[], site: string, name = "Nosh"): string {
  return calendar([
    "METHOD:PUBLISH",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap((event) => eventLines(event, site, statusOf(event))),
  ]);
}

/** How a mail program treats an invitation; its mail names it too. */
export const methodOf = (event: CalendarEvent): "REQUEST" | "CANCEL" =>
  event.status === "cancelled" ? "CANCEL" : "REQUEST";

/**
 * An invitation of one person by mail (RFC 5546, REQUEST or CANCEL), which mail programs put into the calendar. People
 * answer in the app: no reply is asked for.
 * @param organizer the service, which sends the mail
 * @param attendee the address that the mail goes to, and no other
 */
export function invitationOf(
  event: CalendarEvent,
  site: string,
  organizer: { name: string; address: string },
  attendee: string,
): string {
  return calendar([
    `METHOD:${methodOf(event)}`,
    ...eventLines(event, site, event.status === "cancelled" ? "CANCELLED" : "CONFIRMED", [
      `ORGANIZER;CN="${organizer.name.replace(/["\p{Cc}]/gu, "")}":${mailto(organizer.address)}`,
      `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=${PARTSTAT[event.state]};RSVP=FALSE:${mailto(attendee)}`,
    ]),
  ]);
}

const PARTSTAT: Record<PersonState, string> = {
  asked: "NEEDS-ACTION",
  voted: "NEEDS-ACTION",
  expected: "ACCEPTED",
  on_the_way: "ACCEPTED",
  here: "ACCEPTED",
  was_there: "ACCEPTED",
  maybe: "TENTATIVE",
  waitlisted: "TENTATIVE",
  not_coming: "DECLINED",
};

const mailto = (address: string) => `mailto:${encodeURI(address)}`;

function calendar(lines: readonly string[]): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Nosh//Plans//EN",
    "CALSCALE:GREGORIAN",
    ...lines,
    "END:VCALENDAR",
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join("");
}

function eventLines(
  event: CalendarEvent,
  site: string,
  status: string,
  people: readonly string[] = [],
): string[] {
  const address = `${site}/plans/${event.plan_id}`;
  const where = [event.place, event.address].filter((part) => part).join(", ");
  return [
    "BEGIN:VEVENT",
    `UID:${event.plan_id}@nosh`,
    `SEQUENCE:${event.revision}`,
    `DTSTAMP:${instant(event.updated_at)}`,
    `CREATED:${instant(event.created_at)}`,
    `LAST-MODIFIED:${instant(event.updated_at)}`,
    `DTSTART:${instant(event.starts_at)}`,
    `DTEND:${instant(event.ends_at)}`,
    `SUMMARY:${escapeText(event.title)}`,
    ...(where ? [`LOCATION:${escapeText(where)}`] : []),
    ...(event.latitude === null || event.longitude === null
      ? []
      : [`GEO:${event.latitude.toFixed(6)};${event.longitude.toFixed(6)}`]),
    `URL:${address}`,
    `DESCRIPTION:${escapeText([event.note, address].filter((part) => part !== "").join("\n\n"))}`,
    ...people,
    `STATUS:${status}`,
    // A member who does not come is not busy.
    `TRANSP:${event.state === "not_coming" ? "TRANSPARENT" : "OPAQUE"}`,
    "END:VEVENT",
  ];
}

function statusOf(event: CalendarEvent): "CANCELLED" | "CONFIRMED" | "TENTATIVE" {
  if (event.status === "cancelled") return "CANCELLED";
  return isSeated(event.state) ? "CONFIRMED" : "TENTATIVE";
}

/** "20261127T193000Z" */
export function instant(iso: string): string {
  return new Date(iso).toISOString().replace(/[-:]|\.\d+/g, "");
}

/** Text of a property: characters that would end or split it are escaped (RFC 5545, 3.3.11). */
export function escapeText(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(/[;,]/g, (sign) => `\\${sign}`)
    .replace(/\r\n|\r|\n/g, "\\n");
}

/** A long line continues in the next one after a blank; never split within a character. */
export function fold(line: string): string {
  const encoder = new TextEncoder();
  const lines: string[] = [];
  let current = "";
  let octets = 0;
  for (const character of line) {
    const size = encoder.encode(character).length;
    const room = lines.length === 0 ? LINE_OCTETS : LINE_OCTETS - 1;
    if (octets + size > room) {
      lines.push(current);
      current = "";
      octets = 0;
    }
    current += character;
    octets += size;
  }
  lines.push(current);
  return lines.join("\r\n ");
}
