/** Owns: the words of the home screen, in German. */
import type { HomeWords } from "./home-words.ts";

export const home: HomeWords = {
  title: "Pläne",
  heading: "Deine Pläne",
  start: "Neuer Plan",
  loading: "Deine Pläne",
  greeting: (weekday, part) => `${weekday}${["nacht", "morgen", "nachmittag", "abend"][part]},`,
  empty: {
    title: "Mit einem leeren Tisch fängt es an",
    guest: "Öffne einen Einladungslink, um bei einem Plan mitzumachen.",
    text: "Schlag ein paar Termine und Orte vor und schick deinen Leuten einen Link. Ein Name genügt ihnen.",
  },
  groups: {
    today: "Jetzt und gleich",
    waiting: "Wartet auf dich",
    coming: "Steht an",
    polling: "Abstimmung läuft",
    past: "Vergangen",
  },
};
