/** Owns: the words of what a plan waits for from the reader, in German. */
import type { NextWords } from "./next.ts";

export const next: NextWords = {
  name: "Als Nächstes",
  mark: "Wartet auf dich",
  times: "Abstimmen",
  places: "Abstimmen",
  diet: "Antworten",
  decide: "Beste Wahl ansehen",
  share: "Ansehen",
  chat: "Zum Chat",
  decision: "Jetzt kannst du entscheiden.",
  done: "Du bist fertig.",
  nothing: "Für dich gibt es gerade nichts zu tun.",
  declined: "Du hast abgesagt.",
  tells: {
    decided: {
      mail: "Du bekommst eine E-Mail, sobald es feststeht.",
      push: "Du bekommst eine Mitteilung, sobald es feststeht.",
      none: "Schau hier wieder vorbei, dann siehst du, was feststeht.",
    },
    answered: {
      mail: "Du bekommst eine E-Mail, sobald alle geantwortet haben.",
      push: "Du bekommst eine Mitteilung, sobald alle geantwortet haben.",
      none: "Schau hier wieder vorbei, dann siehst du, wer geantwortet hat.",
    },
    proposed: {
      mail: "Du bekommst eine E-Mail, sobald es einen Vorschlag gibt.",
      push: "Du bekommst eine Mitteilung, sobald es einen Vorschlag gibt.",
      none: "Schau hier wieder vorbei, dann siehst du den Vorschlag.",
    },
  },
};
