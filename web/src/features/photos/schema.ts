/** Owns: what the forms of photos accept; the same rules stand in SQL. */
import { text } from "../../lib/rules.ts";
import { photoWords } from "./words.ts";

export const caption = text({ min: 0, max: 140, long: () => photoWords().upload.captionLong });
