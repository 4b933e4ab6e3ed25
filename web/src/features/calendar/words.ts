/** Owns: the words of one's own calendar beside the times, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const calendarWords = defineWords("calendar", {
  open: "Lay my calendar over it",
  opened: "My calendar",
  title: "Your calendar beside the times",
  privacy: "Only this device keeps when you are busy. Nobody at the table sees it, and events stay unnamed.",
  file: "A calendar file (.ics)",
  address: "Or its address",
  addressHelp: "The private address that your calendar gives out, ending in .ics. It is read once, now.",
  read: "Read it",
  kept: (count: number, when: string) =>
    `${plural(count, { one: "# busy time", other: "# busy times" })} known, read ${when}.`,
  forget: "Forget it on this device",
  forgotten: "Your calendar is forgotten here.",
  done: "Your calendar lies over the times.",
  fill: (count: number) => plural(count, { one: "Say no to # time", other: "Say no to # times" }),
  fillHint: "You are busy then, and have not answered yet.",
  unreadable: {
    message: "That is not a calendar that can be read.",
    hint: "Export it as iCalendar (.ics) and try again.",
  },
  refusals: {
    address_not_allowed: {
      message: "That address cannot be read.",
      hint: "Give the public https address of a calendar.",
    },
    calendar_unreachable: {
      message: "No calendar came from that address.",
      hint: "Check it, or choose a file instead.",
    },
    no_calendar: { message: "That address is no calendar.", hint: "It should give out iCalendar (.ics)." },
    calendar_too_large: { message: "That calendar is larger than 2 MB.", hint: "Choose a file instead." },
  } as Record<string, { message: string; hint: string }>,
  tooLarge: { message: "That file is too large.", hint: "Up to 10 MB can be read." },
});

export type CalendarWords = ReturnType<typeof calendarWords>;
