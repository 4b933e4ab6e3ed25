/** Owns: the words of comparing the times with a calendar, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { CalendarWords } from "./words.ts";

export const calendar: CalendarWords = {
  open: "Mit meinem Kalender vergleichen",
  opened: "Mein Kalender",
  title: "Mit deinem Kalender vergleichen",
  privacy:
    "Wann du etwas vorhast, wird nur auf diesem Gerät gespeichert, ohne die Namen der Termine. Sonst sieht es niemand.",
  file: "Kalenderdatei (.ics)",
  address: "Oder ein Kalenderlink",
  addressHelp: "Der private .ics-Link aus den Einstellungen deines Kalenders. Wir lesen ihn einmal, jetzt.",
  read: "Kalender hinzufügen",
  kept: (count, when) =>
    `${plural(count, { one: "# belegte Zeit", other: "# belegte Zeiten" })}, gelesen ${when}.`,
  remove: "Von diesem Gerät entfernen",
  removed: "Kalender von diesem Gerät entfernt.",
  done: "Deine belegten Zeiten sind jetzt markiert.",
  fill: (count) => plural(count, { one: "Bei # Termin Nein sagen", other: "Bei # Terminen Nein sagen" }),
  fillHint: "Da hast du schon etwas vor und noch nicht geantwortet.",
  unreadable: {
    message: "Wir können diesen Kalender nicht lesen.",
    hint: "Speichere ihn als iCalendar (.ics) und versuch es noch einmal.",
  },
  refusals: {
    address_not_allowed: {
      message: "Wir können diesen Link nicht lesen.",
      hint: "Nimm einen öffentlichen https-Link zu einem Kalender.",
    },
    calendar_unreachable: {
      message: "Unter diesem Link konnten wir keinen Kalender laden.",
      hint: "Prüf ihn oder wähl stattdessen eine Datei.",
    },
    no_calendar: {
      message: "Dieser Link führt zu keinem Kalender.",
      hint: "Es muss ein iCalendar-Link (.ics) sein.",
    },
    calendar_too_large: {
      message: "Der Kalender ist größer als 2 MB.",
      hint: "Wähl stattdessen eine Datei.",
    },
  },
  tooLarge: { message: "Die Datei ist zu groß.", hint: "Wähl eine mit höchstens 10 MB." },
};
