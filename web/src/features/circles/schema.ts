/** Owns: what the forms of circles accept; the same rules stand in SQL. */
import { text } from "../../lib/rules.ts";
import { circleWords } from "./words.ts";

export const circleName = text({
  min: 1,
  max: 80,
  missing: () => circleWords().nameMissing,
  long: () => circleWords().nameTooLong,
});
