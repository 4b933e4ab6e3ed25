/** Owns: the words of a host's notes below the list of people, and of saving the ticket as a picture, in German. */
import { listOf, plural } from "../../lib/i18n/words.ts";
import type { HostWords } from "./words.ts";

/** The questions without their first letter, which is a capital at the start. */
const ASKED = {
  one: { times: "ann kannst du", places: "o willst du essen" },
  several: { times: "ann könnt ihr", places: "o wollt ihr essen" },
};

export const hosts: HostWords = {
  nudge: (count) => plural(count, { one: "Eine Person erinnern", other: "# Leute erinnern" }),
  nudged: (count) => plural(count, { one: "Eine Person wurde erinnert.", other: "# Leute wurden erinnert." }),
  nudgedToday: "Heute schon erinnert",
  unreached: "bekommt weder E-Mails noch Mitteilungen",
  tellThem: (names) =>
    `${listOf(names)} ${names.length === 1 ? "bekommt" : "bekommen"} von Nosh keine Nachricht. Schick selbst diese:`,
  askThem: (names, title, questions) => {
    const asked = names.length === 1 ? ASKED.one : ASKED.several;
    return `${names.join(", ")}, ${names.length === 1 ? "hast du" : "habt ihr"} zwei Minuten? W${questions.map((question) => asked[question]).join(", und w")}? ${title}`;
  },
  decided: (names, what) => `${names.join(", ")}: Es steht fest. ${what}`,
  send: "Nachricht teilen",
  picture: "Als Bild speichern",
  pictureSaved: "Bild gespeichert.",
  pictureFailed: "Dieser Browser konnte das Bild nicht erstellen.",
};
