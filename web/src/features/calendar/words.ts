/** Owns: the words of comparing the times with a calendar, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const calendarWords = defineWords("calendar", {
  open: "Compare with my calendar",
  opened: "My calendar",
  title: "Compare with your calendar",
  privacy: "Your busy times are saved only on this device, without event names. Nobody else sees them.",
  file: "Calendar file (.ics)",
  address: "Or a calendar link",
  addressHelp: "The private .ics link from your calendar's settings. We read it once, now.",
  read: "Add calendar",
  kept: (count: number, when: string) =>
    `${plural(count, { one: "# busy time", other: "# busy times" })}, read ${when}.`,
  remove: "Remove from this device",
  removed: "Calendar removed from this device.",
  done: "Your busy times are now marked.",
  fill: (count: number) => plural(count, { one: "Answer no to # time", other: "Answer no to # times" }),
  fillHint: "You're busy then and haven't answered yet.",
  unreadable: {
    message: "We can't read this calendar.",
    hint: "Export it as iCalendar (.ics) and try again.",
  },
  refusals: {
    address_not_allowed: {
      message: "We can't read that link.",
      hint: "Use a public https link to a calendar.",
    },
    calendar_unreachable: {
      message: "We couldn't load a calendar from that link.",
      hint: "Check it, or choose a file instead.",
    },
    no_calendar: { message: "That link isn't a calendar.", hint: "It should be an iCalendar (.ics) link." },
    calendar_too_large: { message: "That calendar is larger than 2 MB.", hint: "Choose a file instead." },
  } as Record<string, { message: string; hint: string }>,
  tooLarge: { message: "That file is too large.", hint: "Choose one of up to 10 MB." },
});

export type CalendarWords = ReturnType<typeof calendarWords>;
