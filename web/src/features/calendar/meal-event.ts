/** Owns: a decided meal as calendars want it: an iCalendar file (RFC 5545), and the links that fill in a web calendar. Pure. */

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

/** "20261127T193000Z" */
function utcOf(instant: string): string {
  return new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** Text of a property: characters that would end or split it are escaped (RFC 5545, 3.3.11). */
function escaped(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r\n|\r|\n/g, "\\n");
}

const LONGEST_LINE = 75;

/** Lines longer than 75 octets go on in the next one, which begins with a space; no character is split. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  let length = 0;
  let out = "";
  for (const character of line) {
    const octets = encoder.encode(character).length;
    if (length + octets > LONGEST_LINE) {
      out += "\r\n ";
      length = 1;
    }
    out += character;
    length += octets;
  }
  return out;
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
    `DTSTAMP:${utcOf(now)}`,
    `DTSTART:${utcOf(meal.startsAt)}`,
    `DTEND:${utcOf(meal.endsAt)}`,
    `SUMMARY:${escaped(meal.title)}`,
    ...(meal.place ? [`LOCATION:${escaped(meal.place)}`] : []),
    `URL:${meal.url}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]
    .map(folded)
    .join("\r\n");
}

/** Opens Google Calendar with the event filled in. */
export function googleLink(meal: MealEvent): string {
  const search = new URLSearchParams({
    action: "TEMPLATE",
    text: meal.title,
    dates: `${utcOf(meal.startsAt)}/${utcOf(meal.endsAt)}`,
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
