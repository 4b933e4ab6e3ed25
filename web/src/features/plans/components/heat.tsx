/** Owns: the count of each answer: as heat behind an answer's button, and as a list for screen readers. */
import type { CSSProperties } from "react";
import { type Answer, answers } from "../answers.ts";
import type { Tally } from "../tally.ts";
import { timeOptionWords } from "../words/time-options.ts";

export const heatColours: Record<Answer, string> = {
  yes: "var(--heat-yes)",
  if_need_be: "var(--heat-maybe)",
  no: "var(--heat-no)",
};

const peopleOf = (tally: Tally) =>
  answers.reduce((sum, answer) => sum + tally[answer].length, tally.silent.length);

/** Parameters of the utility `heat`: the answer's colour, warmer for more people. */
export function heatOf(tally: Tally, answer: Answer): CSSProperties {
  return {
    "--heat": 0.15 + (0.85 * tally[answer].length) / Math.max(peopleOf(tally), 1),
    "--heat-colour": heatColours[answer],
  } as CSSProperties;
}

/**
 * The counts as text for screen readers. Sighted people read them in the buttons.
 * @param open whether answers are still waited for
 */
export function TallyList({ tally, open }: { tally: Tally; open: boolean }) {
  const { heat: words, silent } = timeOptionWords();
  return (
    <ul className="sr-only" aria-label={words.of(peopleOf(tally) - tally.silent.length)}>
      {answers.map((answer) => (
        <li key={answer}>
          {tally[answer].length} {words[answer]}
        </li>
      ))}
      {open && tally.silent.length > 0 ? <li>{silent(tally.silent.length)}</li> : null}
    </ul>
  );
}
