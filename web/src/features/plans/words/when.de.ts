/** Owns: the words of the tab When: times, answers, painting, the deadline and who is waited for; in German. */
import { listOf, plural } from "../../../lib/i18n/words.ts";
import type { WhenWords } from "./when.ts";

export const when: WhenWords = {
  answers: { yes: "Ja", if_need_be: "Zur Not", no: "Nein" },
  noAnswer: "keine Antwort",
  takeBack: "Zurück",
  yourAnswerFor: (what) => `Deine Antwort für ${what}`,
  heat: {
    of: (people) => `Antworten von ${people} Leuten`,
    yes: "ja",
    if_need_be: "zur Not",
    no: "nein",
    silent: "offen",
  },
  empty: { title: "Noch keine Termine", text: "Schlag ein paar Abende vor, dann kann der Tisch antworten." },
  chosen: "gewählt",
  over: "vorbei",
  view: { label: "Wie Termine gezeigt werden", board: "Tafel", list: "Liste" },
  zone: {
    label: "Wessen Uhr",
    table: (zone) => `Die des Tisches (${zone})`,
    yours: (zone) => `Deine (${zone})`,
    there: (time) => `dort ${time}`,
  },
  closed: (when) => `Abgestimmt werden konnte bis ${when}.`,
  closes: (when, distance) => `Antworten bis ${when}, ${distance}.`,
  waitingFor: (names, more) =>
    `Es fehlen noch ${listOf(more > 0 ? [...names, plural(more, { one: "# weitere Person", other: "# weitere" })] : names)}.`,
  waiting: "Deine Antworten warten auf Verbindung. Dieses Gerät hebt sie so lange auf.",
  allAnswered: "Alle haben geantwortet.",
  hidden:
    "Wer einlädt, zeigt die Antworten der anderen erst, wenn du geantwortet hast. Ein Termin genügt, dann siehst du sie.",
  hiddenShort: "verdeckt",
  only: { label: "Nur die Antworten einer Person zeigen", all: "Alle" },
  board: {
    label: "Termine und deine Antworten",
    brush: "Malen mit",
    several: "Von – bis",
    how: "Wähl eine Antwort und zieh über die Termine.",
    howTouch: "Wähl eine Antwort und tipp auf Termine, oder wisch seitwärts über mehrere.",
    howKeys:
      "Pfeiltasten bewegen, mit Umschalt markieren sie mehrere, Eingabe oder Leertaste setzt die gewählte Antwort.",
    tapStart: "Tipp auf den ersten Termin.",
    tapEnd: "Und jetzt auf den letzten.",
    cell: (time, mine, tally) => `${time}. Du: ${mine}. ${tally}`,
    tally: (yes, ifNeedBe, no, silent) =>
      listOf(
        [
          `${yes} ja`,
          ...(ifNeedBe > 0 ? [`${ifNeedBe} zur Not`] : []),
          ...(no > 0 ? [`${no} nein`] : []),
          ...(silent > 0 ? [`${silent} offen`] : []),
        ],
        "conjunction",
      ),
    theirs: (name, answer) => `${name}: ${answer}.`,
    requiredOut: (names) =>
      names.length === 1
        ? `${names[0]} muss dabei sein und kann nicht.`
        : `${listOf(names)} müssen dabei sein und können nicht.`,
    busy: "Da hast du schon etwas vor.",
    set: (count, answer) => plural(count, { one: `# Termin: ${answer}.`, other: `# Termine: ${answer}.` }),
    takenBack: (count) =>
      plural(count, { one: "# Antwort zurückgenommen.", other: "# Antworten zurückgenommen." }),
  },
  detail: {
    label: (time) => `Wer was sagt zu ${time}`,
    hint: "Zeig auf einen Termin oder geh hin, dann siehst du, wer was sagt.",
    nobody: "noch niemand",
    proposedBy: (name) => `Vorschlag von ${name}`,
    withdraw: "Termin zurückziehen",
    withdrawTitle: "Diesen Termin zurückziehen?",
    withdrawText: (votes) =>
      votes === 0
        ? "Niemand hat darauf geantwortet. Die anderen Termine bleiben, wie sie sind."
        : plural(votes, {
            one: "# Antwort darauf geht mit. Die anderen Termine bleiben, wie sie sind.",
            other: "# Antworten darauf gehen mit. Die anderen Termine bleiben, wie sie sind.",
          }),
    withdrawDo: "Zurückziehen",
    keep: "Behalten",
    who: "Wer was sagt",
    withdrawn: "Der Termin ist zurückgezogen.",
    options: (time) => `Mehr zu ${time}`,
  },
  propose: {
    open: "Noch ein Termin",
    title: "Noch ein Termin",
    day: "Tag",
    from: "Von",
    until: "Bis",
    clock: (zone) => `Nach der Uhr des Tisches: ${zone}.`,
    do: "Vorschlagen",
    done: "Der Termin liegt auf dem Tisch.",
  },
};
