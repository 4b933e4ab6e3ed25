/** Owns: the validation rule for the reason of an objection. SQL has the same rule. */
import { text } from "../../lib/rules.ts";
import { decidingWords } from "./words.ts";

/** The error's text is looked up when it is read, in the language active then. */
export const vetoReason = text({ min: 0, max: 140, long: () => decidingWords().veto.long });
