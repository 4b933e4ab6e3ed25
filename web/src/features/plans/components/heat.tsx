/** Owns: availability as heat: three cells with their counts, warmer the more people stand behind them. */
import { type Answer, answers } from "../answers.ts";
import { whenWords } from "../words/when.ts";

interface HeatProps {
  votes: readonly { answer: Answer }[];
  people: number;
}

const colours: Record<Answer, string> = {
  yes: "var(--heat-yes)",
  if_need_be: "var(--heat-maybe)",
  no: "var(--heat-no)",
};

export function Heat({ votes, people }: HeatProps) {
  const words = whenWords().heat;
  const counts = answers.map((answer) => ({
    answer,
    colour: colours[answer],
    count: votes.filter((vote) => vote.answer === answer).length,
  }));
  const silent = people - votes.length;
  return (
    <ul className="grid grid-cols-4 gap-1" aria-label={words.of(people)}>
      {[...counts, { answer: "silent", colour: "transparent", count: silent } as const].map((cell) => (
        <li
          key={cell.answer}
          style={
            {
              "--heat": 0.15 + (0.85 * cell.count) / Math.max(people, 1),
              "--heat-colour": cell.colour,
            } as React.CSSProperties
          }
          className={`flex flex-col items-center rounded-s px-1 py-1.5 text-center transition-colors duration-200 ${
            cell.answer === "silent"
              ? "border border-dashed border-edge"
              : cell.count > 0
                ? "heat"
                : "bg-ground"
          }`}
        >
          <span className="numerals text-lg leading-none font-semibold">{cell.count}</span>
          <span className="text-xs leading-tight">{words[cell.answer]}</span>
        </li>
      ))}
    </ul>
  );
}
