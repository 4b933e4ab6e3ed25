/** Owns: the words of a plan that decides itself, in German. */
import type { DecidingWords } from "./words.ts";

export const deciding: DecidingWords = {
  proposal: {
    name: "Vorschlag",
    best: "Das passt nach euren Stimmen am besten",
    at: "bei",
    until: (when) => `Steht ${when} fest, wenn niemand widerspricht.`,
    soon: "Steht in ein paar Minuten fest.",
    relative: (day, clock) => `${day} um ${clock}`,
    today: "heute",
    object: "Widersprechen",
    confirm: "Jetzt festlegen",
    confirmed: "Festgelegt.",
    declined: "Du hast abgesagt, deshalb kannst du nicht widersprechen.",
  },
  veto: {
    title: "Diesem Vorschlag widersprechen?",
    text: "Die Stimmen bleiben. Dann entscheidet, wer eingeladen hat, und alle sehen, dass du widersprochen hast.",
    reason: "Grund (wenn du magst)",
    reasonExample: "Unter der Woche zu weit",
    long: "Höchstens 140 Zeichen.",
    do: "Widersprechen",
    done: "Du hast widersprochen. Jetzt entscheidet, wer eingeladen hat.",
    back: "Zurück",
  },
  vetoed: {
    by: (name) => `${name} hat dem Vorschlag widersprochen.`,
    byYou: "Du hast dem Vorschlag widersprochen.",
    byWith: (name, reason) => `${name} hat dem Vorschlag widersprochen: „${reason}“`,
    byYouWith: (reason) => `Du hast dem Vorschlag widersprochen: „${reason}“`,
  },
  undecided: {
    title: "Wir konnten nicht für euch entscheiden.",
    nobody_voted: "Bis zur Frist hat niemand abgestimmt.",
    no_pair: "Keine Kombination aus Termin und Ort passt.",
    unsafe: "Kein Ort ist für alle, die vielleicht kommen, als sicher bestätigt.",
    required_out: "Jemand, der dabei sein muss, kann an keinem der Termine.",
    too_late: "Die übrigen Termine sind zu bald, um noch alle zu fragen.",
    tie: "Die besten Orte liegen gleichauf.",
    closed: "Der vorgeschlagene Ort hat dann geschlossen.",
    options_changed: "Nach dem Vorschlag wurden Termine oder Orte geändert.",
  },
  youDecide: "Du entscheidest: Wähl eine Kombination oder verschieb die Frist.",
  hostDecides: "Jetzt entscheidet, wer eingeladen hat.",
  seeMatches: "Kombinationen ansehen",
};
