/** Owns: the words about notifications on this device, in German. */
import type { PushWords } from "./words.ts";

export const push: PushWords = {
  title: "Mitteilungen",
  loading: "Deine Mitteilungen",
  label: "Auf diesem Gerät bei Entscheidungen, Änderungen und Erinnerungen benachrichtigen",
  unsupported:
    "Dieser Browser kann keine Mitteilungen zeigen. E-Mails bekommst du trotzdem, wenn du eine Adresse angegeben hast.",
  install:
    "Auf dem iPhone oder iPad muss Nosh zuerst auf den Home-Bildschirm: Tipp auf Teilen und dann auf „Zum Home-Bildschirm“.",
  blocked:
    "Mitteilungen von Nosh sind blockiert. Erlaub sie in den Einstellungen deines Browsers für diese Seite.",
  unconfigured: "Auf diesem Server sind Mitteilungen nicht eingerichtet.",
  turnedOn: "Mitteilungen sind an.",
  turnedOff: "Mitteilungen sind aus.",
  offer: {
    name: "Mitteilungen",
    decided: "Sollen wir dir Bescheid sagen, wenn es feststeht?",
    changes: "Sollen wir dir Bescheid sagen, wenn sich etwas ändert?",
    yes: "Mitteilungen einschalten",
    no: "Nicht jetzt",
    on: "Du bekommst eine Mitteilung auf diesem Gerät.",
  },
  home: {
    name: "Home-Bildschirm",
    ask: "Möchtest du Nosh auf deinem Home-Bildschirm haben?",
    yes: "Hinzufügen",
  },
};
