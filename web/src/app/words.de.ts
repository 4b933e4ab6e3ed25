/** Owns: the words of the shell and the error screens, in German. */
import type { AppWords } from "./words.ts";

export const app: AppWords = {
  toContent: "Zum Inhalt springen",
  mainNavigation: "Hauptmenü",
  plans: "Pläne",
  circles: "Kreise",
  places: "Orte",
  saved: "Gemerkt",
  me: "Ich",
  offline: "Du bist offline.",
  offlineSaves:
    "Stimmen, Zusagen und Nachrichten werden hier gespeichert und gesendet, sobald du wieder online bist.",
  asOf: (time) => `Zuletzt aktualisiert um ${time}.`,
  newVersion: { text: "Eine neue Version ist da.", bring: "Aktualisieren", later: "Später" },
  toYourPlans: "Zu deinen Plänen",
  emptyTable: "Ein leerer Tisch",
  notFound: {
    title: "Hier ist nichts",
    text: "Diese Seite gibt es nicht oder nicht mehr. Prüf die Adresse oder geh zurück zu deinen Plänen.",
  },
  broken: {
    heading: "Diese Seite funktioniert gerade nicht",
    tellUs: (id) => `Wenn du uns das meldest, nenn bitte ${id}.`,
  },
};
