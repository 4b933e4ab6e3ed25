/** Owns finding conditions that are true where the caller is nobody: an alternative that compares the caller with null. */
import { masked } from "../../postgres/statements/lexer.ts";

/** A function of the caller that is null for who is not signed in, compared with null. */
const NULL_CALLER =
  /^\(*(NOT \()?\(*(SELECT )?(auth\.(uid|jwt|role)\(\)|current_setting\([^)]*, true\))( AS \w+)?\)* IS (NOT )?NULL\)*$/i;

/** Whether a condition as Postgres writes it is an OR, and one of its alternatives is true for who is not signed in. */
export function trueWithoutCaller(condition: string): boolean {
  return alternatives(masked(condition, ["string"])).some(
    (one) => NULL_CALLER.test(one) && one.includes(" IS NOT NULL") === /^\(*NOT /i.test(one),
  );
}

/** The alternatives of a condition as Postgres writes it; none where it is no OR. */
function alternatives(condition: string): string[] {
  const text = unwrapped(condition);
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    else if (depth === 0 && text.startsWith(" OR ", at)) {
      parts.push(text.slice(from, at));
      from = at + 4;
    }
  }
  return parts.length === 0 ? [] : [...parts, text.slice(from)];
}

/** Without parentheses around the whole. */
function unwrapped(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at === text.length - 1 && at > 0 ? unwrapped(text.slice(1, -1)) : text;
  }
  return text;
}
