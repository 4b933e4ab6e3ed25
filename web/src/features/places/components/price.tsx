/** Owns: a price level, one to four. */
export function Price({ level }: { level: number }) {
  const words = ["", "cheap", "fair", "dear", "very dear"][level] ?? "";
  return (
    <span>
      <span aria-hidden className="numerals">
        <span className="text-ink">{"€".repeat(level)}</span>
        <span className="opacity-35">{"€".repeat(Math.max(0, 4 - level))}</span>
      </span>
      <span className="sr-only">
        {words}, price level {level} of 4
      </span>
    </span>
  );
}
