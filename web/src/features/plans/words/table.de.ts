/** Owns: the words about a table, its seats and its people, in German. */
import { plural } from "../../../lib/i18n/words.ts";
import type { TableWords } from "./table.ts";

export const table: TableWords = {
  empty: "Ein leerer Tisch",
  drawnEmpty: (label) => `${label}. Ein leerer Tisch.`,
  drawn: (label, count, people) => `${label}. Ein Tisch für ${count}: ${people}.`,
  strangers: (count) =>
    plural(count, { one: "# Person hat einen Platz", other: "# Personen haben einen Platz" }),
  someone: "Jemand",
  you: (name) => `${name} (du)`,
  lookingNow: "online",
  roles: { host: "Host", cohost: "Co-Host" },
  required: "muss dabei sein",
  timesAnswered: (answered, all) => `über ${answered} von ${all} Terminen abgestimmt`,
  seats: {
    declined: "kommt nicht",
    onTheWay: "ist unterwegs",
    silent: "hat noch nicht geantwortet",
    refusedPlace: "hat gegen den Ort gestimmt",
    yes: (times) => (times === 1 ? "kann an einem Termin" : `kann an ${times} Terminen`),
    ifNeedBe: "kann zur Not",
    noneSoFar: "hat bisher Nein gesagt",
    answered: "hat geantwortet",
    here: "ist da",
    going: (plusOnes) => (plusOnes > 0 ? `kommt und bringt ${plusOnes} mit` : "kommt"),
    came: (plusOnes) => (plusOnes > 0 ? `war da und hat ${plusOnes} mitgebracht` : "war da"),
    stayedAway: "war nicht da",
    saidMaybe: "hatte „vielleicht“ gesagt",
    maybe: "kommt vielleicht",
    waitlisted: "steht auf der Warteliste",
    host: "lädt ein",
    invited: "ist eingeladen",
  },
  cards: {
    more: "Mehr zeigen",
    added: (count) => plural(count, { one: "# weiterer Plan", other: "# weitere Pläne" }),
  },
  placeOpen: "Ort folgt",
  card: {
    next: {
      invite: "Lade Leute ein",
      times: "Wann kannst du?",
      places: "Welche Orte magst du?",
      decide: "Wähl Zeit und Ort",
      rsvp: "Kommst du?",
      place: "Trag den Ort ein",
      set_out: "Sag, wann du losgehst",
      rate: "Wie war’s?",
    },
    youAnswered: (answered, all) => `Du hast über ${answered} von ${all} Terminen abgestimmt`,
    cancelled: "Abgesagt",
    options: (times, places) =>
      `${plural(times, { one: "# Termin", other: "# Termine" })}, ${plural(places, { one: "# Ort", other: "# Orte" })}`,
    closes: (when) => `endet ${when}`,
    coming: (count) => plural(count, { one: "# Person kommt", other: "# Leute kommen" }),
    came: (count) => plural(count, { one: "# Person war da", other: "# Leute waren da" }),
    unread: (count) => plural(count, { one: "# neue Nachricht", other: "# neue Nachrichten" }),
    again: "Noch einmal planen",
    againOf: (title) => `Noch einmal planen: ${title}`,
  },
};
