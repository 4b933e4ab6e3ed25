/** Owns: the rule of an objection's reason. SQL has the same. */
import { text } from "../../lib/rules.ts";
import { decidingWords } from "./words.ts";

/** Words the error when it is read, in the language active then. */
export const vetoReason = text({ min: 0, max: 140, long: () => decidingWords().veto.long });
