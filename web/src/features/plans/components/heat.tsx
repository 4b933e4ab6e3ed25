/** Owns: the count of each answer: as heat behind an answer's button, and as a list for screen readers. */
import type { CSSProperties } from "react";
import { type Answer, answers } from "../answers.ts";
import { whenWords } from "../words/when.ts";

/** The votes for one option, and the plan's number of people. */
export interface Tally {
  votes: readonly { answer: Answer }[];
  people: number;
}

const colours: Record<Answer, string> = {
  yes: "var(--heat-yes)",
  if_need_be: "var(--heat-maybe)",
  no: "var(--heat-no)",
};

export function countOf({ votes }: Tally, answer: Answer): number {
  return votes.filter((vote) => vote.answer === answer).length;
}

/** People who have not answered. */
export function silentOf({ votes, people }: Tally): number {
  return people - votes.length;
}

/** Parameters of the utility `heat`: the answer's colour, warmer for more people. */
export function heatOf(tally: Tally, answer: Answer): CSSProperties {
  return {
    "--heat": 0.15 + (0.85 * countOf(tally, answer)) / Math.max(tally.people, 1),
    "--heat-colour": colours[answer],
  } as CSSProperties;
}

/** The counts as text for screen readers. Sighted people read them in the buttons. */
export function TallyList({ tally }: { tally: Tally }) {
  const words = whenWords().heat;
  return (
    <ul className="sr-only" aria-label={words.of(tally.people)}>
      {answers.map((answer) => (
        <li key={answer}>
          {countOf(tally, answer)} {words[answer]}
        </li>
      ))}
      <li>
        {silentOf(tally)} {words.silent}
      </li>
    </ul>
  );
}
