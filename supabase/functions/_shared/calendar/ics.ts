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
 * A complete calendar with CRLF line ends.
 * @param site the app's URL; each event links to its plan there
 */
export function calendarOf(events: readonly CalendarEvent[], site: string, name = "Nosh"): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Nosh//Plans//EN",
    "CALSCALE:GREGORIAN",
    "METHOD:PUBLISH",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap((event) => eventLines(event, site)),
    "END:VCALENDAR",
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join("");
}

function eventLines(event: CalendarEvent, site: string): string[] {
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
    `STATUS:${statusOf(event)}`,
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
function instant(iso: string): string {
  return new Date(iso).toISOString().replace(/[-:]|\.\d+/g, "");
}

function escapeText(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(/[;,]/g, (sign) => `\\${sign}`)
    .replace(/\r\n|\r|\n/g, "\\n");
}

/** A long line continues in the next one after a blank; never split within a character. */
function fold(line: string): string {
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
