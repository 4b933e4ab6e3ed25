/** Owns: validation of a message's text; SQL has the same rule. */
import { text } from "../../lib/rules.ts";
import { LONGEST_MESSAGE } from "../messages/schema.ts";
import { chatWords } from "./words.ts";

/** What may be sent. With a photo the words may be missing. */
export function messageBody(withPhoto: boolean) {
  return text({
    min: withPhoto ? 0 : 1,
    max: LONGEST_MESSAGE,
    missing: () => chatWords().nothingToSend,
    long: () => chatWords().tooLong,
  });
}
