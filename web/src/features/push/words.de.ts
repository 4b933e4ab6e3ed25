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
    "Mitteilungen von Nosh sind blockiert. Du kannst sie in den Einstellungen deines Browsers für diese Seite erlauben.",
  unconfigured: "Auf diesem Server sind Mitteilungen nicht eingerichtet.",
  turnedOn: "Mitteilungen sind an.",
  turnedOff: "Mitteilungen sind aus.",
  offer: {
    name: "Mitteilungen",
    decided: "Willst du hören, wenn es feststeht?",
    changes: "Willst du hören, wenn sich etwas ändert?",
    yes: "Sag mir Bescheid",
    no: "Nicht jetzt",
    on: "Du bekommst eine Mitteilung auf diesem Gerät.",
  },
};
