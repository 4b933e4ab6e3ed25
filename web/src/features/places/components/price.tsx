/**
 * Owns: a price level, one to four, as plates: so many of four are served. A level is no sum of money, so it has no
 * currency either: what is dear in one town is fair in another.
 */
import { placeWords } from "../words.ts";

const levels = [1, 2, 3, 4] as const;

/** The level as it is seen and as it is heard. */
export function Price({ level }: { level: number }) {
  const words = placeWords();
  return (
    <span className="whitespace-nowrap">
      <PriceMarks level={level} />
      <span className="sr-only">{`${words.prices[level - 1] ?? ""}, ${words.priceLevel(level)}`}</span>
    </span>
  );
}

/** Only what is seen, in the colour of the text around it. */
export function PriceMarks({ level }: { level: number }) {
  return (
    <svg
      viewBox="0 0 52 12"
      aria-hidden
      fill="none"
      stroke="currentColor"
      className="inline-block h-[0.8em] w-auto align-[-0.05em]"
    >
      {levels.map((each, index) => {
        const x = 6.5 + index * 13;
        return each <= level ? (
          <g key={each}>
            <circle cx={x} cy="6" r="4.9" strokeWidth="1.4" />
            <circle cx={x} cy="6" r="2.8" fill="currentColor" stroke="none" />
          </g>
        ) : (
          <circle key={each} cx={x} cy="6" r="5.1" strokeWidth="0.9" opacity="0.6" />
        );
      })}
    </svg>
  );
}
