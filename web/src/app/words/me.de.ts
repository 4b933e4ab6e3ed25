/** Owns: the words of the screen about oneself, in German. */
import type { MeWords } from "./me.ts";

export const me: MeWords = {
  title: "Ich",
  loading: "Dein Profil",
  picture: "Bild ändern",
  name: "Name",
  diets: "Was für dich sicher sein muss",
  dietsHelp: "Wer mit dir an einem Tisch sitzt, sieht das, damit niemand daran vorbei bucht.",
  budget: "Angenehm bis",
  zone: "Zeitzone",
  keep: "Merken",
  kept: "Gemerkt.",
  start: {
    title: "Von wo du aufbrichst",
    text: "Andere sehen Minuten in Fünferschritten, nie den Ort.",
    set: "Er ist gesetzt.",
    unset: "Er ist nicht gesetzt, deshalb zählen Wege ohne dich.",
    use: "Von hier aus",
    forget: "Vergessen",
    denied: "Dein Browser verrät seine Position nicht.",
    deniedHint: "Erlaub es in den Einstellungen des Browsers und drück dann noch einmal.",
  },
  light: { title: "Licht", system: "Wie das System", light: "Tag", dark: "Abend" },
  language: "Sprache",
  signOut: "Auf diesem Gerät abmelden",
  happened: "Was war",
};
