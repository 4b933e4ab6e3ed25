/** Owns: the words for email settings and the calendar link, in German. */
import type { MailWords } from "./words.ts";

export const mail: MailWords = {
  title: "E-Mail",
  invites: "Einladungen zu einem Plan",
  reminders: "Entscheidungen und Erinnerungen (ans Abstimmen, vor dem Treffen, ans Bewerten)",
  loading: "Deine E-Mail-Einstellungen",
  saved: "Gespeichert.",
  calendar: {
    title: "Kalender",
    text: "Sieh die Pläne, die feststehen, in deiner Kalender-App. Sie bleiben von selbst aktuell.",
    secret: "Wer den Link hat, sieht diese Pläne. Ein neuer Link ersetzt den alten.",
    make: "Kalenderlink erstellen",
    again: "Neuen Link erstellen",
    stop: "Link ausschalten",
    exists: "Dein Kalenderlink ist aktiv. Zur Sicherheit zeigen wir ihn nur beim Erstellen.",
    address: "Kalenderlink",
    open: "In der Kalender-App öffnen",
    ended: "Der Link ist ausgeschaltet.",
  },
  offer: {
    name: "Neues per E-Mail",
    address: "Neues zu diesem Plan per E-Mail",
    leave: "E-Mails bekommen",
    asked: (address) => `Noch ein Schritt: Öffne die E-Mail an ${address} und bestätige die Adresse.`,
    on: (address) => `Du bekommst E-Mails zu diesem Plan an ${address}.`,
    notSent:
      "An diese Adresse schicken wir keine E-Mails, weil sie abbestellt sind. Nimm eine andere oder den Link am Ende einer früheren E-Mail.",
    other: "Andere Adresse verwenden",
    stop: "Keine E-Mails mehr",
  },
  confirm: {
    title: "Bestätige deine Adresse",
    text: "Du bekommst eine E-Mail, wenn der Plan feststeht oder sich ändert, und eine zur Erinnerung. In jeder kannst du sie abbestellen.",
    go: "Adresse bestätigen",
    done: "Bestätigt.",
    toPlan: "Zum Plan",
  },
  choice: {
    title: "Deine E-Mails",
    heading: (address) => `E-Mails an ${address}`,
    text: "Wähl, welche E-Mails du bekommst. Ein Konto brauchst du dafür nicht.",
    loading: "Deine Auswahl",
    save: "Speichern",
    saved: "Gespeichert.",
    toNosh: "Zu Nosh",
    none: "Keine E-Mails mehr",
  },
};
