/** Owns: a price level, one to four. */
import { placeWords } from "../words.ts";

export function Price({ level }: { level: number }) {
  return (
    <span>
      <span aria-hidden className="numerals">
        <span className="text-ink">{"€".repeat(level)}</span>
        <span className="opacity-35">{"€".repeat(Math.max(0, 4 - level))}</span>
      </span>
      <span className="sr-only">{placeWords().priceLevel(level)}</span>
    </span>
  );
}
