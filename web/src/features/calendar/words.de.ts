/** Owns: the words of one's own calendar beside the times, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { CalendarWords } from "./words.ts";

export const calendar: CalendarWords = {
  open: "Meinen Kalender darüberlegen",
  opened: "Mein Kalender",
  title: "Dein Kalender neben den Terminen",
  privacy:
    "Nur dieses Gerät merkt sich, wann du etwas vorhast. Niemand am Tisch sieht es, und Namen bleiben weg.",
  file: "Eine Kalenderdatei (.ics)",
  address: "Oder ihre Adresse",
  addressHelp:
    "Die private Adresse, die dein Kalender dir gibt, mit .ics am Ende. Sie wird jetzt einmal gelesen.",
  read: "Lesen",
  kept: (count, when) =>
    `${plural(count, { one: "# belegte Zeit", other: "# belegte Zeiten" })} bekannt, gelesen ${when}.`,
  forget: "Auf diesem Gerät vergessen",
  forgotten: "Dein Kalender ist hier vergessen.",
  done: "Dein Kalender liegt über den Terminen.",
  fill: (count) => plural(count, { one: "# Termin absagen", other: "# Termine absagen" }),
  fillHint: "Da hast du schon etwas vor und noch nicht geantwortet.",
  unreadable: {
    message: "Das ist kein Kalender, den wir lesen können.",
    hint: "Speichere ihn als iCalendar (.ics) und versuch es noch einmal.",
  },
  refusals: {
    address_not_allowed: {
      message: "Diese Adresse lässt sich nicht lesen.",
      hint: "Nimm die öffentliche https-Adresse eines Kalenders.",
    },
    calendar_unreachable: {
      message: "Von dieser Adresse kam kein Kalender.",
      hint: "Prüf sie oder wähl stattdessen eine Datei.",
    },
    no_calendar: {
      message: "Unter dieser Adresse ist kein Kalender.",
      hint: "Es muss iCalendar sein (.ics).",
    },
    calendar_too_large: {
      message: "Der Kalender ist größer als 2 MB.",
      hint: "Wähl stattdessen eine Datei.",
    },
  },
  tooLarge: { message: "Die Datei ist zu groß.", hint: "Bis 10 MB lassen sich lesen." },
};
