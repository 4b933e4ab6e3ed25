/** Owns: the words of a plan that decides itself, in German. */
import { undecidedInGerman } from "../../../../supabase/functions/_shared/ranking/undecided_words_de.ts";
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
  undo: {
    name: "Rückgängig",
    text: "Festgelegt. Die Nachrichten gehen in ein paar Sekunden raus.",
    do: "Rückgängig machen",
    undone: "Rückgängig gemacht. Niemand hat eine Nachricht bekommen.",
  },
  veto: {
    title: "Diesem Vorschlag widersprechen?",
    text: "Die Stimmen bleiben. Dann entscheidet, wer einlädt, und alle sehen, dass du widersprochen hast.",
    reason: "Grund (wenn du magst)",
    reasonExample: "Unter der Woche zu weit",
    long: "Höchstens 140 Zeichen.",
    do: "Widersprechen",
    done: "Du hast widersprochen. Jetzt entscheidet, wer einlädt.",
    waiting:
      "Dein Widerspruch ist auf diesem Gerät gespeichert und wird gesendet, sobald du online bist. Er zählt, wenn er rechtzeitig ankommt.",
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
    ...undecidedInGerman,
  },
  youDecide: "Du entscheidest: Wähl eine Kombination oder verschieb die Frist.",
  hostDecides: "Jetzt entscheidet, wer einlädt.",
  seeMatches: "Kombinationen ansehen",
};
