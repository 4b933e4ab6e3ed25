/**
 * Owns: a price level from one to four, as filled marks out of four. A level is not an amount, so it has no
 * currency: prices differ between towns.
 */
import { placeWords } from "../words.ts";

const levels = [1, 2, 3, 4] as const;

/** The known facts in a line: the price, then the rest. */
export function PlaceFacts({ price, facts }: { price: number | null; facts: readonly string[] }) {
  return (
    <>
      {price === null ? null : <Price level={price} />}
      {`${price === null || facts.length === 0 ? "" : " · "}${facts.join(" · ")}`}
    </>
  );
}

/** The level with its text for screen readers. */
export function Price({ level }: { level: number }) {
  const words = placeWords();
  return (
    <span className="whitespace-nowrap">
      <PriceMarks level={level} />
      <span className="sr-only">{`${words.prices[level - 1] ?? ""}, ${words.priceLevel(level)}`}</span>
    </span>
  );
}

/** Only the visible marks, in the colour of the surrounding text. */
export function PriceMarks({ level }: { level: number }) {
  return (
    <svg
      viewBox="0 0 48 12"
      aria-hidden
      stroke="currentColor"
      className="inline-block h-[0.8em] w-auto align-[-0.05em]"
    >
      {levels.map((each, index) => {
        const full = each <= level;
        return (
          <circle
            key={each}
            cx={6 + index * 12}
            cy="6"
            r={full ? 4.2 : 3.6}
            strokeWidth={full ? 0.8 : 1}
            fill={full ? "currentColor" : "none"}
          />
        );
      })}
    </svg>
  );
}
