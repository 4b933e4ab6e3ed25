/** Owns: the words of a person's starting point, in German. */
import type { StartWords } from "./start.ts";

export const start: StartWords = {
  title: "Startpunkt",
  text: "Andere sehen nur deine Wegzeit, auf fünf Minuten aufgerundet. Nie den Ort.",
  set: "Dein Startpunkt ist festgelegt.",
  unset: "Noch nicht festgelegt, deshalb rechnen wir ohne deinen Weg.",
  type: "Adresse oder Stadtteil",
  typeHelp: "Wir speichern sie nur auf etwa 500 Meter genau.",
  choose: "Wähl eins der Ergebnisse, damit wir wissen, wo das ist.",
  use: "Standort verwenden",
  city: (city) =>
    `Nur deine Stadt ist festgelegt: ${city}. Das siehst nur du, und Wege lassen sich nicht schätzen.`,
  savedCity: (city) => `${city} gespeichert, nur die Stadt. Wege lassen sich nicht schätzen.`,
  saved: (name) => `Du startest in der Nähe von ${name}.`,
  savedHere: "Du startest hier in der Nähe.",
  remove: "Startpunkt löschen",
  denied: "Dein Browser hat den Standort nicht freigegeben.",
  deniedHint: "Tipp stattdessen eine Adresse oder erlaub den Standort in den Einstellungen des Browsers.",
};
