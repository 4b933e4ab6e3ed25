/** Owns: the words of the tab When: times, answers, painting, the deadline and missing answers; in German. */
import { listOf, plural } from "../../../lib/i18n/words.ts";
import type { TimeOptionWords } from "./time-options.ts";

const ON = { times: "über die Termine", places: "über die Orte" } as const;

const partlyOf = (people: number, question: keyof typeof ON) =>
  people === 0 ? "" : `, ${people} davon nicht für jeden ${question === "times" ? "Termin" : "Ort"}`;

const timeOptions: TimeOptionWords = {
  answers: { yes: "Ja", if_need_be: "Zur Not", no: "Nein" },
  noAnswer: "noch keine Antwort",
  silent: (count) => (count === 1 ? "1 fehlt noch" : `${count} fehlen noch`),
  clear: "Löschen",
  yourAnswerFor: (what) => `Deine Antwort für ${what}`,
  heat: {
    of: (people) => plural(people, { one: "Antworten von # Person", other: "Antworten von # Leuten" }),
    yes: "ja",
    if_need_be: "zur Not",
    no: "nein",
  },
  empty: { title: "Noch keine Termine", text: "Schlag ein paar Termine vor, dann können alle abstimmen." },
  chosen: "gewählt",
  over: "vorbei",
  view: { label: "Termine anzeigen als", board: "Raster", list: "Liste" },
  zone: {
    label: "Zeitzone",
    table: (zone) => `Zeit in ${zone}`,
    yours: (zone) => `Deine Zeit (${zone})`,
    there: (time) => `${time} dort`,
  },
  closed: (when) => `Die Abstimmung endete am ${when}.`,
  closes: (when, distance) => `Abstimmen bis ${when}, ${distance}.`,
  waitingFor: (names, more, question) =>
    `${listOf(more > 0 ? [...names, plural(more, { one: "# weitere Person", other: "# weitere" })] : names)} ${names.length + more === 1 ? "hat" : "haben"} noch nicht ${ON[question]} abgestimmt.`,
  answeredBut: (all, partly, left, question) =>
    `${all === 2 ? "Beide" : `Alle ${all}`} haben ${ON[question]} abgestimmt${partlyOf(partly, question)}. Bei den ${question === "times" ? "Orten" : "Terminen"} ${left === 1 ? "fehlt noch eine Stimme" : `fehlen noch ${left} Stimmen`}.`,
  waiting: "Deine Antworten sind auf diesem Gerät gespeichert und werden gesendet, sobald du online bist.",
  allAnswered: (partly, question) => `Alle haben geantwortet${partlyOf(partly, question)}.`,
  hidden: "Die Antworten der anderen siehst du erst, wenn du abgestimmt hast. Ein Termin genügt.",
  hiddenShort: "verdeckt",
  only: { label: "Nur die Antworten einer Person zeigen", all: "Alle" },
  board: {
    label: "Termine und deine Antworten",
    brush: "Termine markieren mit",
    several: "Zeitraum wählen",
    how: "Wähl eine Antwort und klick auf Termine oder zieh über mehrere.",
    howTouch: "Wähl eine Antwort und tipp auf Termine, oder wisch seitwärts über mehrere.",
    howKeys:
      "Mit den Pfeiltasten bewegst du dich, mit Umschalt dazu wählst du mehrere aus, Enter oder die Leertaste setzt die Antwort.",
    tapStart: "Tipp auf den ersten Termin.",
    tapEnd: "Und jetzt auf den letzten.",
    mine: (answer) => `Du: ${answer}.`,
    theirs: (name, answer) => `${name}: ${answer}.`,
    requiredOut: (names) =>
      names.length === 1
        ? `${names[0]} muss dabei sein und kann nicht.`
        : `${listOf(names)} müssen dabei sein und können nicht.`,
    busy: "Da hast du schon etwas vor.",
    set: (count, answer) => plural(count, { one: `# Termin: ${answer}.`, other: `# Termine: ${answer}.` }),
    cleared: (count) => plural(count, { one: "# Antwort gelöscht.", other: "# Antworten gelöscht." }),
  },
  detail: {
    label: (time) => `Antworten für ${time}`,
    hint: "Zeig auf einen Termin oder beweg dich dorthin, um alle Antworten zu sehen.",
    nobody: "noch niemand",
    proposedBy: (name) => `Vorschlag von ${name}`,
    who: "Antworten ansehen",
    options: (time) => `Antworten ansehen: ${time}`,
  },
  remove: { open: "Termin entfernen", title: "Diesen Termin entfernen?", done: "Termin entfernt." },
  propose: {
    open: "Termin vorschlagen",
    title: "Termin vorschlagen",
    day: "Tag",
    from: "Von",
    until: "Bis",
    clock: (zone) => `Zeiten in ${zone}.`,
    refused: "Alle, die abgestimmt haben, können an diesem Tag nicht.",
    do: "Vorschlagen",
    doAnyway: "Trotzdem vorschlagen",
    done: "Termin hinzugefügt.",
  },
};

export { timeOptions as "time-options" };
