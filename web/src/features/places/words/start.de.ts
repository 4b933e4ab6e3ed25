/** Owns: the words of a person's starting point, in German. */
import type { StartWords } from "./start.ts";

export const start: StartWords = {
  title: "Startpunkt",
  text: "Andere sehen nur deine Wegzeit, auf fünf Minuten gerundet. Nie den Ort.",
  set: "Dein Startpunkt ist festgelegt.",
  unset: "Noch nicht festgelegt, deshalb fehlt dein Weg in der Rechnung.",
  type: "Adresse oder Stadtteil",
  typeHelp: "Wir merken sie uns auf etwa 500 Meter genau.",
  choose: "Wähl eins der Ergebnisse, damit wir wissen, wo das ist.",
  use: "Meinen Standort nehmen",
  saved: (name) => `Deine Wege beginnen bei ${name}.`,
  savedHere: "Deine Wege beginnen hier in der Nähe.",
  remove: "Startpunkt löschen",
  denied: "Dein Browser hat den Standort nicht freigegeben.",
  deniedHint: "Tipp stattdessen eine Adresse oder erlaub den Standort in den Einstellungen des Browsers.",
};
