/** Owns targets of assignments that are part of a variable: an element of an array, a field of a field, a key of JSON. */

const PART = /\s*(?:(\.)?\s*("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)|(\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]))/uy;

/**
 * @param target what is left of `:=`.
 * @param names of the variable that the parser has found: a record's field has two.
 * @returns the expression that has the target's type; undefined for the variable itself, and for one by another name
 */
export function partOfVariable(target: string, names: readonly string[]): string | undefined {
  const parts = partsOf(target);
  const isNamed = (from: number) => names.every((name, at) => parts[from + at]?.name === name);
  // The name of its block may stand before it.
  const first = isNamed(0) ? 0 : 1;
  if (!isNamed(first)) return undefined;
  const end = first + names.length;
  if (parts.length === end) return undefined;
  let expression = parts
    .slice(0, end)
    .map(({ text }) => text)
    .join(".");
  for (const [at, part] of parts.entries()) {
    if (at < end) continue;
    const isIndex = part.name === undefined;
    const follows = isIndex && at > end && parts[at - 1]?.name === undefined;
    expression = follows ? expression + part.text : `(${expression})${isIndex ? "" : "."}${part.text}`;
  }
  return expression;
}

function partsOf(target: string): { text: string; name?: string }[] {
  const found: { text: string; name?: string }[] = [];
  let end = 0;
  PART.lastIndex = 0;
  for (let part = PART.exec(target); part; part = PART.exec(target)) {
    end = PART.lastIndex;
    const [, , word, index] = part;
    if (word === undefined) found.push({ text: index ?? "" });
    else
      found.push({
        text: word,
        name: word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word.toLowerCase(),
      });
  }
  // Brackets within three others, or a comment: nothing is said of such a target.
  return target.slice(end).trim() === "" ? found : [];
}
