/** Owns: what hosts read about who hears of the plan, and the words of the ticket's picture, in German. */
import { listOf, plural } from "../../lib/i18n/words.ts";
import type { HostWords } from "./words.ts";

export const hosts: HostWords = {
  nudge: (count) => plural(count, { one: "Eine Person erinnern", other: "# Leute erinnern" }),
  nudged: (count) => plural(count, { one: "Eine Person wurde erinnert.", other: "# Leute wurden erinnert." }),
  nudgedToday: "Heute schon erinnert",
  unreached: "bekommt keine Nachricht",
  tellThem: (names) => `${listOf(names)}: Hier kommt von Nosh nichts an. Sag am besten selbst Bescheid.`,
  picture: "Als Bild speichern",
  pictureSaved: "Bild gespeichert.",
  pictureFailed: "Dieser Browser konnte das Bild nicht erstellen.",
};
