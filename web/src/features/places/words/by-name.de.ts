/** Owns: the words of finding a place or adding it by its name, in German. */
import type { ByNameWords } from "./by-name.ts";

export const placename: ByNameWords = {
  label: "Ort suchen oder hinzufügen",
  add: (name) => `„${name}“ hinzufügen`,
  help: "Der Name genügt. Du kannst auch einen Kartenlink oder eine Adresse einfügen.",
  called: "Wie heißt der Ort?",
  found: "Wir wissen, wo das ist.",
  foundAt: (address) => `Adresse: ${address}.`,
  home: "Bei mir zu Hause",
  homeAddress: "Deine Adresse",
  homeHelp: "Nur wer kommt, sieht sie, sobald der Plan steht. Du kannst sie später ergänzen.",
  there: (name) => `${name} steht schon im Plan.`,
};
