/** Owns: the words of the tab Best and of the reasons for a pair, in German. */
import { listOf, plural } from "../../lib/i18n/words.ts";
import type { BestWords } from "./words.ts";

export const best: BestWords = {
  empty: {
    title: "Noch kein Vorschlag",
    text: "Es fehlt ein Termin, der noch kommt, oder ein Ort, der dann offen hat.",
  },
  hidden:
    "Die Antworten der anderen siehst du erst, wenn du abgestimmt hast. Bis dahin zählt hier nur, was du siehst.",
  card: {
    name: "Beste Kombination",
    choice: "Beste Kombination",
    decided: "Gewählt",
    question: "Bisher am besten, aber fragt wegen der Ernährung nach",
    withoutRequired: "Bisher am besten, aber es fehlt jemand, der dabei sein muss",
    nobodyYet: "Bisher am besten, aber noch ohne ein Ja",
    whatIf: "Was wäre, wenn",
    choose: "Das nehmen wir",
    chooseTime: "Nur den Termin festlegen",
    compromises: "Kompromisse",
    forEach: "Für jede Person",
    spread: (minutes) => `${minutes} Min. zwischen dem kürzesten und dem längsten Weg`,
  },
  further: {
    title: "Geht auch",
    choose: "Wählen",
    chooseOf: (place, day) => (place ? `${place} wählen, ${day}` : `${day} wählen`),
    notSafe: (count) =>
      plural(count, { one: "für # Person nicht bestätigt", other: "für # Personen nicht bestätigt" }),
    more: (count) => plural(count, { one: "Noch # zeigen", other: "Noch # zeigen" }),
  },
  doubtful: {
    absentTitle: "Nicht alle können kommen",
    refusedTitle: (place) => `Nicht alle wollen zu ${place}`,
    refused: (names) =>
      names.length === 1
        ? `${names[0]} hat Nein zu diesem Ort gesagt.`
        : `${listOf(names)} haben Nein zu diesem Ort gesagt.`,
    absent: (names) =>
      names.length === 1 ? `${names[0]} kann dann nicht.` : `${listOf(names)} können dann nicht.`,
    title: (place) => `${place} ist nicht für alle als sicher bestätigt`,
    ask: "Frag vorher im Restaurant nach. Im Plan steht dann, dass es nicht bestätigt ist.",
    choose: "Trotzdem wählen",
    back: "Zurück",
  },
  order: {
    changed: "Die Reihenfolge hat sich geändert.",
    show: "Aktualisieren",
    shown: "Reihenfolge aktualisiert.",
  },
  confirmed: (place, time) => `Es wird ${place}, ${time}.`,
  confirmedTime: (time) => `Der Termin steht: ${time}. Der Ort folgt noch.`,
  outrun: (theirs, yours) =>
    `Jemand hat kurz vor dir gewählt: ${theirs}. Deine Wahl war ${yours}. Du kannst es unter „Plan verwalten“ ändern.`,
  whatIf: {
    title: "Was wäre, wenn",
    hint: "Das siehst nur du. Gespeichert wird nichts.",
    people: "Für jede Person: wie geantwortet, ohne sie, oder als hätte sie zugesagt",
    asAnswered: "wie geantwortet",
    without: "ohne",
    yes: "mit Ja",
    of: (name) => `Was wäre, wenn: ${name}`,
    reset: "Zurücksetzen",
    active: (names) => `Was wäre, wenn: ${names}.`,
    withoutName: (name) => `ohne ${name}`,
    yesName: (name) => `${name} sagt ja`,
  },
  suggestions: {
    title: "Vorschläge",
    loading: "Vorschläge",
    add: "Ort hinzufügen",
    none: "Kein weiterer Ort in der Nähe ist für alle als sicher bestätigt und an einem der Termine geöffnet.",
    propose: "Vorschlagen",
    proposeOf: (name) => `${name} vorschlagen`,
    proposed: (name) => `${name} hinzugefügt.`,
  },
  person: {
    yes: "kann",
    if_need_be: "zur Not",
    no: "kann nicht",
    unanswered: "noch offen",
    safe: (diets) => `${diets}: bestätigt`,
    unknown: (diets) => `${diets}: nicht bestätigt`,
    ate: (diet, month) => `${diet}: im ${month} gegessen`,
    minutes: (minutes) => `${minutes} Min.`,
  },
  reasons: {
    all_come: (total) => (total === 1 ? "Passt für alle" : `Passt für alle ${total}`),
    attendance: (yes, total, ifNeedBe, silent) =>
      [
        yes > 0
          ? `${yes} von ${total} ${yes === 1 ? "kann" : "können"}`
          : ifNeedBe + silent > 0
            ? "Zu diesem Termin hat noch niemand Ja gesagt"
            : "Da kann niemand",
        ...(ifNeedBe > 0 ? [`${ifNeedBe} zur Not`] : []),
        ...(silent > 0 ? [`${silent} noch offen`] : []),
      ].join(", "),
    required_out: (names) => `Muss dabei sein, kann aber nicht: ${names}`,
    place_refused: (names) => `Gegen diesen Ort: ${names}`,
    all_safe: "Als sicher bestätigt für alle, die kommen könnten",
    safe_as_known: (names, count) =>
      `Sicher, soweit wir wissen, wer was isst; noch offen: ${count > 3 ? `${count} Leute` : names}`,
    ate_here: (name, diet, month) => `${name} hat hier im ${month} ${diet} gegessen`,
    even_trips: (minutes, known, total) =>
      known === total
        ? `Für alle etwa gleich weit, höchstens ${minutes} Min.`
        : `Etwa gleich weit, höchstens ${minutes} Min.; ${known} von ${total} Wegen bekannt`,
    longest_trip: (name, minutes, known, total) =>
      `Längster Weg ${minutes} Min. (${name})${known === total ? "" : `; ${known} von ${total} Wegen bekannt`}`,
    rated: (stars) => `${stars} von 5 Sternen`,
    all_liked: (month, stars) => `Hat allen gefallen, zuletzt im ${month} (${stars})`,
    photos: (count) =>
      count === 1 ? "1 Foto von einem früheren Essen dort" : `${count} Fotos von früheren Essen dort`,
    hours_unknown: "Öffnungszeiten unbekannt, ruft vorher an",
  },
  compromises: {
    of: (names, count, what) => `${count > 3 ? `${count} Leute` : names}: ${what}`,
    cannot_come: (count) => (count === 1 ? "kann nicht" : "können nicht"),
    time_if_need_be: "der Termin passt nur zur Not",
    place_if_need_be: "der Ort passt nur zur Not",
    place_unwanted: (count) => `${count === 1 ? "würde" : "würden"} lieber woanders essen`,
    not_known_safe: (diets) => `nicht bestätigt: ${diets}`,
    above_budget: "über dem eigenen Budget",
    rated_low: (stars, count) =>
      `${count === 1 ? "hat" : "haben"} ${stars === "1" ? "einen Stern" : `${stars} Sterne`} gegeben`,
    longest_trip: (minutes) => `der längste Weg, ${minutes} Min.`,
  },
};
