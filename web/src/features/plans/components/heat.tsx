/** Owns: availability as heat: three cells with their counts, warmer the more people stand behind them. */
import type { Answer } from "../schema.ts";

interface HeatProps {
  votes: readonly { answer: Answer }[];
  people: number;
}

const cells = [
  { answer: "yes", word: "yes", colour: "var(--heat-yes)" },
  { answer: "if_need_be", word: "if need be", colour: "var(--heat-maybe)" },
  { answer: "no", word: "no", colour: "var(--heat-no)" },
] as const;

export function Heat({ votes, people }: HeatProps) {
  const counts = cells.map((cell) => ({
    ...cell,
    count: votes.filter((vote) => vote.answer === cell.answer).length,
  }));
  const silent = people - votes.length;
  return (
    <ul className="grid grid-cols-4 gap-1" aria-label={`Answers of ${people} people`}>
      {[...counts, { answer: "silent", word: "silent", colour: "transparent", count: silent } as const].map(
        (cell) => (
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
            <span className="text-xs leading-tight">{cell.word}</span>
          </li>
        ),
      )}
    </ul>
  );
}
