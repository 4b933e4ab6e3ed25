/** Owns: the words of the frame and of the dead ends, in German. */
import type { AppWords } from "./words.ts";

export const app: AppWords = {
  toContent: "Zum Inhalt",
  mainNavigation: "Hauptmenü",
  plans: "Pläne",
  circles: "Kreise",
  places: "Orte",
  saved: "Gemerkt",
  me: "Ich",
  offline:
    "Du bist offline. Stimmen, Zusagen und Nachrichten bleiben hier und gehen hinaus, sobald du wieder Verbindung hast.",
  asOf: (time) => `Was du siehst, ist von ${time}.`,
  newVersion: { text: "Eine neue Version ist da.", bring: "Her damit", later: "Später" },
  toYourPlans: "Zu deinen Plänen",
  emptyTable: "Ein leerer Tisch",
  notFound: {
    title: "Hier ist nichts",
    heading: "Hier sitzt niemand",
    text: "Die Seite wurde verlegt, abgeräumt oder nie gedeckt. Prüf die Adresse oder fang von vorn an.",
  },
  broken: {
    heading: "Etwas ist vom Tisch gefallen",
    tellUs: (id) => `Wenn du uns davon erzählst, nenn ${id}.`,
  },
};
