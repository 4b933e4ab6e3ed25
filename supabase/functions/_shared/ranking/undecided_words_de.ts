/** Owns: why a plan could not decide itself, in German, for the app and the mails. */
import type { UndecidedWords } from "./undecided.ts";

export const undecidedInGerman: UndecidedWords = {
  nobody_voted: "Bis zur Frist hat niemand abgestimmt.",
  no_pair: "Keine Kombination aus Termin und Ort passt.",
  unsafe: "Kein Ort ist für alle, die vielleicht kommen, als sicher bestätigt.",
  required_out: "Jemand, der dabei sein muss, kann an keinem der Termine.",
  too_late: "Die übrigen Termine sind zu bald, um noch alle zu fragen.",
  tie: "Die besten Orte liegen gleichauf.",
  closed: "Der vorgeschlagene Ort hat dann geschlossen.",
  options_changed: "Nach dem Vorschlag wurden Termine oder Orte geändert.",
};
