/** Owns: the words of the profile screen, in German. */
import type { MeWords } from "./me-words.ts";

export const me: MeWords = {
  title: "Ich",
  loading: "Dein Profil",
  picture: "Bild ändern",
  name: "Name",
  diets: "Was du isst",
  dietsHelp: "Wer mit dir plant, sieht das, damit niemand einen Ort aussucht, an dem du nichts essen kannst.",
  budget: "Preisklasse bis",
  zone: "Zeitzone",
  save: "Speichern",
  saved: "Gespeichert.",
  start: {
    title: "Startpunkt",
    text: "Andere sehen nur deine Wegzeit, auf fünf Minuten gerundet. Nie den Ort.",
    set: "Dein Startpunkt ist festgelegt.",
    unset: "Noch nicht festgelegt, deshalb fehlt dein Weg in der Rechnung.",
    use: "Meinen Standort nehmen",
    remove: "Startpunkt löschen",
    denied: "Dein Browser hat den Standort nicht freigegeben.",
    deniedHint: "Erlaub den Standort in den Einstellungen des Browsers und versuch es noch einmal.",
  },
  appearance: { title: "Erscheinungsbild", system: "Automatisch", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  signOut: "Auf diesem Gerät abmelden",
  activity: "Aktivität",
};
