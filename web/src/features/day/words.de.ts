/** Owns: the words of the day itself and of what is remembered after it, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { DayWords } from "./words.ts";

export const day: DayWords = {
  undecided: {
    title: "Noch nicht entschieden",
    text: "Sobald der Termin feststeht, siehst du hier, wer unterwegs ist.",
  },
  early: {
    title: "Die Ankunftstafel öffnet am Tag selbst",
    text: (when) => `Sechs Stunden vor dem Essen (${when}).`,
  },
  board: {
    caption: "Wer unterwegs ist",
    guest: "Gast",
    expected: "Erwartet",
    status: "Status",
    nobody: "Noch hat niemand zugesagt.",
    notLeft: "noch nicht los",
    unsure: "kommt vielleicht",
    onTheWay: "unterwegs",
    minutes: (minutes) => `unterwegs, ${minutes} Min.`,
    anyMoment: "jeden Moment",
    here: "da",
    hereOf: (here, expected) => `${here} von ${expected} da`,
    away: (distance) => `${distance} entfernt`,
  },
  mine: {
    leaving: "Gehst du los?",
    comingAfterAll: "Kommst du doch?",
    howFar: "Wie weit hast du es noch?",
    trip: (minutes) => `Bin unterwegs, ${minutes} Min.`,
    minutes: (minutes) => `${minutes} Min.`,
    here: "Ich bin da",
    youAreHere: "Du bist da. Lass es dir schmecken.",
    notHere: "Doch noch nicht da",
    notLeft: "Doch noch nicht unterwegs",
  },
  news: {
    left: (name, minutes) =>
      minutes === null ? `${name} ist unterwegs.` : `${name} ist unterwegs, ${minutes} Min.`,
    here: (name) => `${name} ist da.`,
  },
  live: {
    title: "Live-Standort",
    mine: "Dein Live-Standort",
    text: "Wer beim Plan dabei ist, sieht, wo du bist, bis die Zeit um ist, du ankommst oder diese Seite schließt. Gespeichert wird der Standort nie.",
    share: (minutes) => `${minutes} Min. teilen`,
    sharing: (minutes) =>
      minutes < 1
        ? "Dein Standort wird geteilt, noch unter einer Minute"
        : `Dein Standort wird geteilt, noch ${minutes} Min.`,
    waiting: "Dein Standort wird gesucht",
    stop: "Teilen beenden",
    extend: (minutes) => `${minutes} Min. länger`,
    started: (minutes) => `Dein Standort wird ${minutes} Minuten lang geteilt.`,
    ended: "Dein Standort wird nicht mehr geteilt.",
    denied: "Dein Browser darf den Standort nicht teilen. Das kannst du in seinen Einstellungen ändern.",
    unavailable: "Dein Gerät findet den Standort gerade nicht.",
    others: (name, minutes) =>
      minutes < 1
        ? `${name} teilt den Standort, noch unter einer Minute`
        : `${name} teilt den Standort, noch ${minutes} Min.`,
    map: "Wo alle sind",
    showMap: "Auf der Karte zeigen",
    hideMap: "Karte ausblenden",
  },
  ready: {
    say: "Allen sagen, dass der Tisch bereit ist",
    done: "Alle im Plan können es sehen.",
    message: (place) => (place ? `${place}: Der Tisch ist bereit.` : "Der Tisch ist bereit."),
    heard: (name) => `${name} sagt: Der Tisch ist bereit.`,
    dismiss: "Alles klar",
  },
  awake: {
    label: "Bildschirm anlassen",
    on: "Der Bildschirm bleibt an, solange diese Seite offen ist.",
    off: "Der Bildschirm geht aus wie sonst auch.",
    refused: "Dein Browser hat es nicht erlaubt. Vielleicht spart er Strom.",
  },
  rate: {
    question: "Wie war’s?",
    stars: (stars) => `${stars} von 5`,
    comment: "Kommentar",
    photo: "Foto hinzufügen",
    safeFor: (diet) => `Können Leute, die ${diet} essen, hier sicher essen?`,
    meal: (diet) => `Konntest du gut ${diet} essen?`,
    found: { yes: "Ja", no: "Nein" },
    mealHelp: "Alle, die dabei waren, sehen deine Antwort.",
    says: { yes: "Ja, ich habe gefragt", no: "Nein", unknown: "Weiß ich nicht" },
    saved: "Gespeichert. Das hilft bei der nächsten Wahl.",
    rate: "Bewertung speichern",
    change: "Bewertung ändern",
    loading: "Die Bewertungen",
    others: "Wie es euch gefallen hat",
    waiting: (count) =>
      plural(count, { one: "# Person hat noch nicht bewertet.", other: "# haben noch nicht bewertet." }),
  },
};
