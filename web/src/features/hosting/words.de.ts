/** Owns: the words of a new plan, in German. */
import { listOf, plural } from "../../lib/i18n/words.ts";
import type { NewPlanWords } from "./words.ts";

const newPlan: NewPlanWords = {
  title: "Neuer Plan",
  yourTable: "Dein Tisch",
  untitled: "Noch ohne Namen",
  what: "Name des Plans",
  whatExample: "Essen am Freitag",
  note: "Notiz",
  noteExample: "Was alle wissen sollten",
  noteNone: "keine",
  who: {
    legend: "Wer",
    summary: (names) =>
      names.length === 0
        ? "über einen Link"
        : names.length <= 3
          ? listOf(names)
          : `${names.slice(0, 2).join(", ")} und ${names.length - 2} weitere`,
    circle: "Kreis",
    byLink: "Nur über einen Link",
    people: "Leute",
    others: "Für alle anderen kannst du auf der nächsten Seite einen Link erstellen.",
  },
  when: {
    legend: "Wann",
    quick: "Schnellauswahl",
    many: "Mehrere hinzufügen",
    manyHelp: "Wir fügen jeden Tag zu jeder gewählten Uhrzeit hinzu.",
    days: "Tage",
    hours: "Uhrzeiten",
    length: "Dauer",
    add: (count) => plural(count, { one: "# Termin hinzufügen", other: "# Termine hinzufügen" }),
    pickBoth: "Wähl Tage und Uhrzeiten.",
    added: (count) => plural(count, { one: "# Termin hinzugefügt.", other: "# Termine hinzugefügt." }),
    chosen: (count) => plural(count, { one: "# Termin", other: "# Termine" }),
    none: "Noch keine Termine. Du kannst sie auch später hinzufügen.",
    tooMany: "Ein Plan kann höchstens 30 Termine haben.",
    day: (index) => `Tag ${index}`,
    from: "Von",
    until: "Bis",
    change: (time) => `${time} ändern`,
    remove: (time) => `${time} entfernen`,
    removeShort: "Entfernen",
    another: "Termin hinzufügen",
    changeOrAdd: "ändern oder hinzufügen",
    past: "Dieser Termin ist schon vorbei.",
    clock: (zone) => `Zeiten in ${zone}. Andere sehen auch ihre Ortszeit.`,
  },
  where: {
    legend: "Wo",
    later: "später entscheiden",
    places: "Orte",
    pending: (name) => `„${name}“ steht noch nicht im Plan. Füge den Ort hinzu oder leere das Feld.`,
    none: "Das kannst du überspringen. Orte können alle auch später vorschlagen.",
  },
  how: {
    legend: "Optionen",
    deadline: "Abstimmen bis",
    noDeadline: "ohne Frist",
    inDays: (days) => plural(days, { one: "morgen Abend", other: "in # Tagen am Abend" }),
    exact: "an einem anderen Tag",
    exactDay: "Abstimmen bis (Tag)",
    exactClock: "Um",
    capacity: "Plätze",
    noCapacity: "Unbegrenzt",
    seats: (count) => plural(count, { one: "# Platz", other: "# Plätze" }),
    decides: "Zur Frist entscheiden",
    decidesHelp:
      "Dann schlagen wir die beste Kombination vor. Widerspricht niemand, steht sie spätestens zwölf Stunden später fest.",
  },
  create: "Plan erstellen",
  again: {
    loading: "Das letzte Mal",
    gone: "Diesen Plan gibt es nicht mehr. Du kannst hier einen neuen anfangen.",
    title: (title) => `Noch einmal: ${title}`,
    from: (title) => `Aus „${title}“:`,
    people: (others) => plural(others, { one: "du und # weitere Person", other: "du und # weitere" }),
    time: (weekday, clock) => `${weekday} um ${clock}`,
    circle: (name) => `der Kreis ${name}`,
  },
};

export { newPlan as "new-plan" };
