/** Owns formatting values as Elixir prints terms: hosted's error texts contain parameters in that format. */

/** A string as Elixir's `inspect` prints it. */
export function inspectString(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, "\\$&")
    .replaceAll("#{", "\\#{")
    .replaceAll("\n", "\\n")
    .replaceAll("\r", "\\r")
    .replaceAll("\t", "\\t");
  return `"${escaped}"`;
}

/** A JSON value as its Elixir term; maps with their keys in order. */
export function inspectTerm(value: unknown): string {
  if (value === null || value === undefined) return "nil";
  if (typeof value === "string") return inspectString(value);
  if (Array.isArray(value)) return `[${value.map(inspectTerm).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `%{${entries.map(([key, one]) => `${inspectString(key)} => ${inspectTerm(one)}`).join(", ")}}`;
}
