/**
 * Owns the forms around a condition that keep its verdict or turn it, e.g. `(c) = true`, `c IS NOT TRUE`,
 * `COALESCE(c, false)`, and the branches of a CASE.
 */
import { atDepthZero, isWord, oneLine, withoutParentheses } from "./expression.ts";
import { equalSides } from "./references.ts";
import { commaSeparated, readQuery } from "./subquery.ts";

/** The condition inside, and whether the whole is true where it is not. */
export interface Peeled {
  text: string;
  negated: boolean;
}

const TRUTH: Record<string, boolean> = { true: false, "not true": true, false: true };

/** The condition that decides a text's verdict; undefined where the text is that condition itself. */
export function peeled(text: string): Peeled | undefined {
  const bare = withoutParentheses(text);
  const tokens = atDepthZero(bare);
  const [first, second, third] = tokens;
  if (!first) return undefined;
  if (isWord(first, "select")) {
    const query = readQuery(bare);
    return query && query.from === undefined && query.where === undefined
      ? { text: query.output, negated: false }
      : undefined;
  }
  if (isWord(first, "coalesce") && second && third?.to === bare.length && tokens.length === 3) {
    const [own, other, ...more] = commaSeparated(bare.slice(second.to, -1));
    return own !== undefined && other === "false" && more.length === 0
      ? { text: own, negated: false }
      : undefined;
  }
  const is = tokens.findLast((one) => isWord(one, "is"));
  if (is) {
    const negated = TRUTH[oneLine(bare.slice(is.to)).toLowerCase()];
    return negated === undefined ? undefined : { text: oneLine(bare.slice(0, is.from)), negated };
  }
  for (const [constant, other] of equalSides(bare)) {
    if (/^(true|false)$/.test(constant)) return { text: other, negated: constant === "false" };
  }
  return undefined;
}

/** A branch of a CASE: the condition that chooses it, none for ELSE, and its expression. */
export interface Branch {
  when: string | undefined;
  result: string;
}

/** The branches of a text that is one CASE; undefined for other texts. */
export function branchesOf(text: string): Branch[] | undefined {
  const bare = withoutParentheses(text);
  const [first, last, ...more] = atDepthZero(bare);
  if (!first || !last || more.length > 0 || !isWord(first, "case") || last.to !== bare.length)
    return undefined;
  const inner = bare.slice(first.to, last.from);
  const words = atDepthZero(inner).filter((one) =>
    ["when", "then", "else"].some((word) => isWord(one, word)),
  );
  const operand = oneLine(inner.slice(0, words[0]?.from));
  const found: Branch[] = [];
  let when: string | undefined;
  for (const [at, word] of words.entries()) {
    const own = oneLine(inner.slice(word.to, words[at + 1]?.from));
    if (isWord(word, "when")) when = operand === "" ? own : `${operand} = ${own}`;
    else found.push({ when: isWord(word, "then") ? when : undefined, result: own });
  }
  return found;
}
