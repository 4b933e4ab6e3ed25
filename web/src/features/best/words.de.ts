/** Owns: the words of the tab Best and of the reasons for a pair, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { BestWords } from "./words.ts";

export const best: BestWords = {
  empty: {
    title: "Noch nichts zu paaren",
    text: "Ein Paar braucht einen Termin, der noch kommt, und einen Ort, der dann offen hat.",
  },
  hidden: "Die Antworten der anderen siehst du erst nach deiner. Bis dahin zählt hier nur, was du siehst.",
  card: {
    name: "Das beste Paar",
    choice: "Die Wahl des Tisches",
    question: "Bisher am besten, mit einer Frage",
    withoutRequired: "Bisher am besten, aber es fehlt jemand, der dabei sein muss",
    whatIf: "Wenn es so wäre",
    choose: "Das nehmen wir",
    compromises: "Wer etwas aufgibt",
    forEach: "Für jeden von euch",
    spread: (minutes) => `${minutes} Min. zwischen dem kürzesten und dem längsten Weg`,
  },
  further: {
    title: "Geht auch",
    choose: "Wählen",
    chooseOf: (place, day) => `${place} wählen, ${day}`,
    notSafe: (count) =>
      plural(count, { one: "für # Person nicht gesichert", other: "für # Personen nicht gesichert" }),
    more: (count) => plural(count, { one: "Noch # zeigen", other: "Noch # zeigen" }),
  },
  unsafe: {
    title: (place) => `${place} ist nicht für alle gesichert`,
    ask: "Frag vorher in der Küche nach. Im Plan steht dann, dass es nicht gesichert ist.",
    choose: "Trotzdem wählen",
    back: "Zurück",
  },
  order: {
    changed: "Die Reihenfolge hat sich geändert.",
    show: "Zeigen",
    shown: "Die neue Reihenfolge steht da.",
  },
  confirmed: (place, time) => `Es wird ${place}, ${time}.`,
  outrun: (theirs, yours) =>
    `Jemand hat kurz vor dir gewählt: ${theirs}. Deine Wahl war ${yours}. Stimmt neu ab, wenn es anders sein soll.`,
  whatIf: {
    title: "Was wäre, wenn",
    hint: "Nur für deine Augen: gespeichert wird nichts.",
    people: "Für jede Person: wie geantwortet, ohne sie, oder als hätte sie zugesagt",
    asAnswered: "wie jetzt",
    without: "ohne",
    yes: "mit Ja",
    of: (name) => `Was wäre, wenn: ${name}`,
    reset: "Wie es ist",
    active: (names) => `Gereiht, als ob: ${names}.`,
    withoutName: (name) => `ohne ${name}`,
    yesName: (name) => `${name} sagt ja`,
  },
  suggestions: {
    title: "Noch nicht auf dem Tisch",
    loading: "Vorschläge",
    none: "Kein weiterer Ort ist für alle gesichert und an einem der Termine offen.",
    propose: "Vorschlagen",
    proposeOf: (name) => `${name} vorschlagen`,
    proposed: (name) => `${name} liegt auf dem Tisch.`,
  },
  person: {
    yes: "kann",
    if_need_be: "zur Not",
    no: "kann nicht",
    unanswered: "offen",
    safe: (diets) => `${diets}: gesichert`,
    unknown: (diets) => `${diets}: nicht bekannt`,
    minutes: (minutes) => `${minutes} Min.`,
  },
  reasons: {
    all_come: (total) => (total === 1 ? "Passt dir" : `Passt allen ${total}`),
    attendance: (yes, total, ifNeedBe, silent) =>
      [
        `${yes} von ${total} können`,
        ...(ifNeedBe > 0 ? [`${ifNeedBe} zur Not`] : []),
        ...(silent > 0 ? [`${silent} noch offen`] : []),
      ].join(", "),
    required_out: (names) => `Ohne ${names}, und das muss eigentlich sein`,
    all_safe: "Für alle am Tisch ist das Essen gesichert",
    even_trips: (minutes) => `Für alle etwa gleich weit, höchstens ${minutes} Min.`,
    longest_trip: (name, minutes) => `Längster Weg ${minutes} Min. (${name})`,
    rated: (stars) => `Ihr habt ${stars} von 5 Sternen gegeben`,
    hours_unknown: "Öffnungszeiten unbekannt, ruft vorher an",
  },
  compromises: {
    of: (name, what) => `${name}: ${what}`,
    cannot_come: "kann nicht",
    time_if_need_be: "der Termin nur zur Not",
    place_if_need_be: "der Ort nur zur Not",
    place_unwanted: "würde lieber woanders essen",
    not_known_safe: (diets) => `nicht bekannt, ob ${diets}`,
    above_budget: "über dem eigenen Budget",
    longest_trip: (minutes) => `der längste Weg, ${minutes} Min.`,
  },
};
