/** Owns: the words for which mails and calendar one wants, in German. */
import type { MailWords } from "./words.ts";

export const mail: MailWords = {
  title: "Mail",
  invites: "Einladungen zu einem Plan",
  reminders: "Erinnerungen: deine Stimme, der Tisch morgen, die Bewertung",
  loading: "Deine Mail-Einstellungen",
  kept: "Gemerkt.",
  calendar: {
    title: "Kalender",
    text: "Eine Adresse, der deine Kalender-App folgt. Jeder Plan mit einer Zeit steht darin und wandert mit, wenn sie sich ändert.",
    secret: "Wer die Adresse hat, sieht diese Pläne. Mach eine neue, dann endet die alte.",
    make: "Adresse machen",
    again: "Neue Adresse machen",
    stop: "Beenden",
    exists: "Es gibt eine. Gezeigt wird sie nur einmal, wenn sie entsteht.",
    address: "Die Adresse",
    copy: "Kopieren",
    copied: "Kopiert",
    open: "In der Kalender-App öffnen",
    ended: "Die Adresse zeigt nichts mehr.",
  },
  choice: {
    title: "Deine Mails",
    heading: (address) => `Mails an ${address}`,
    text: "Wähl, was noch kommt. Ein Konto brauchst du dafür nicht.",
    loading: "Deine Auswahl",
    keep: "So lassen",
    kept: "Gemerkt. Du kannst die Seite schließen.",
    none: "Gar keine mehr",
  },
};
