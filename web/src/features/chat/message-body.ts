/** Owns: validation of a message's text; SQL has the same rule. */
import { text } from "../../lib/rules.ts";
import { LONGEST_MESSAGE } from "../messages/schema.ts";
import { chatWords } from "./words.ts";

/** The text of a message. With a photo it may be empty. */
export function messageBody(withPhoto: boolean) {
  return text({
    min: withPhoto ? 0 : 1,
    max: LONGEST_MESSAGE,
    missing: () => chatWords().nothingToSend,
    long: () => chatWords().tooLong,
  });
}
