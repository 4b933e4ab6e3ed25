/** Owns: the words of the day itself and of what is remembered after it, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { DayWords } from "./words.ts";

export const day: DayWords = {
  undecided: {
    title: "Noch nicht entschieden",
    text: "Sobald Termin und Ort feststehen, siehst du hier, wer unterwegs ist.",
  },
  early: {
    title: "Die Tafel öffnet am Tag selbst",
    text: (when) => `Sechs Stunden vor ${when}.`,
  },
  board: {
    caption: "Wer unterwegs ist",
    guest: "Gast",
    expected: "Erwartet",
    status: "Status",
    nobody: "Noch hat niemand zugesagt.",
    notLeft: "noch nicht los",
    onTheWay: "unterwegs",
    minutes: (minutes) => `unterwegs, ${minutes} Min.`,
    anyMoment: "jeden Moment",
    here: "da",
    hereOf: (here, expected) => `${here} von ${expected} da`,
    away: (distance) => `${distance} entfernt`,
  },
  mine: {
    leaving: "Gehst du los?",
    howFar: "Wie weit hast du es noch?",
    trip: (minutes) => `Bin unterwegs, ${minutes} Min.`,
    minutes: (minutes) => `${minutes} Min.`,
    here: "Ich bin da",
    youAreHere: "Du bist da. Lass es dir schmecken.",
  },
  news: {
    left: (name, minutes) =>
      minutes === null ? `${name} ist unterwegs.` : `${name} ist unterwegs, ${minutes} Minuten.`,
    here: (name) => `${name} ist da.`,
  },
  live: {
    title: "Live-Standort",
    mine: "Dein Live-Standort",
    text: "Wer an diesem Tisch sitzt, sieht, wo du bist, bis die Zeit um ist, du ankommst oder diese Seite schließt. Der Standort wird weitergereicht und nirgends gespeichert.",
    share: (minutes) => `${minutes} Min. teilen`,
    sharing: (minutes) =>
      minutes < 1
        ? "Dein Standort wird geteilt, noch unter einer Minute"
        : `Dein Standort wird geteilt, noch ${minutes} Min.`,
    waiting: "Warte auf deinen Standort",
    stop: "Nicht mehr teilen",
    extend: (minutes) => `${minutes} Min. länger`,
    started: (minutes) => `Dein Standort wird ${minutes} Minuten lang geteilt.`,
    ended: "Dein Standort wird nicht mehr geteilt.",
    denied: "Dein Browser darf nicht sagen, wo du bist. Das lässt sich in seinen Einstellungen ändern.",
    unavailable: "Dein Gerät weiß gerade nicht, wo es ist.",
    others: (name, minutes) =>
      minutes < 1
        ? `${name} teilt den Standort, noch unter einer Minute`
        : `${name} teilt den Standort, noch ${minutes} Min.`,
    map: "Wo alle sind",
    showMap: "Auf der Karte zeigen",
    hideMap: "Karte ausblenden",
  },
  ready: {
    say: "Der Tisch ist bereit",
    done: "Alle wissen Bescheid.",
    message: (place) => `Der Tisch im ${place} ist bereit.`,
    heard: (name) => `${name} sagt: Der Tisch ist bereit.`,
    dismiss: "Alles klar",
  },
  awake: {
    label: "Bildschirm anlassen",
    on: "Der Bildschirm bleibt an, solange diese Tafel offen ist.",
    off: "Der Bildschirm geht aus wie sonst auch.",
    refused: "Dein Browser hat es nicht erlaubt. Vielleicht spart er Strom.",
  },
  rate: {
    question: "Wie war es?",
    stars: (stars) => `${stars} von 5`,
    comment: "Ein Wort dazu",
    kept: "Gemerkt. Das hilft bei der nächsten Wahl.",
    rate: "Bewerten",
    change: "Bewertung ändern",
    loading: "die Bewertungen",
    others: "Wie es am Tisch ankam",
    waiting: (count) =>
      plural(count, { one: "# Person hat noch nicht bewertet.", other: "# haben noch nicht bewertet." }),
    again: {
      title: "Noch mal?",
      text: "Dieselben Leute, so ein Abend: Was gepasst hat, ist schon eingetragen.",
      do: "Den nächsten planen",
    },
  },
};
