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
  appearance: { title: "Erscheinungsbild", system: "Automatisch", light: "Hell", dark: "Dunkel" },
  language: "Sprache",
  signOut: "Auf diesem Gerät abmelden",
  activity: "Aktivität",
};
