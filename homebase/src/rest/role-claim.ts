/**
 * Owns the path of the role in a token's claims: the subset of JSONPath that PostgREST supports, in the
 * notation of RFC 9535 and in its older one without "$" (its documentation, "JWT Role Extraction").
 */
import type { Claims } from "../tokens/verify-token.ts";

export interface RoleClaim {
  /** Finds the role's value; undefined when the claims have none. */
  read(claims: Claims): unknown;
  /** In the notation of RFC 9535. */
  path: string;
}

export const DEFAULT_ROLE_CLAIM: RoleClaim = { read: (claims) => claims.role, path: "$.role" };

type Step = (value: unknown) => unknown;

const member =
  (name: string): Step =>
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;

const element =
  (index: number): Step =>
  (value) =>
    Array.isArray(value) ? value.at(index) : undefined;

/** A slice of a text; of an array, its first element within the slice. */
const slice =
  (from: string, to: string): Step =>
  (value) => {
    const end = to === "" ? undefined : Number(to);
    if (typeof value === "string") return value.slice(Number(from), end) || undefined;
    return Array.isArray(value) ? value.slice(Number(from), end)[0] : undefined;
  };

/** The first matching text of an array. */
const first =
  (passes: (text: string) => boolean): Step =>
  (value) =>
    Array.isArray(value) ? value.find((one) => typeof one === "string" && passes(one)) : undefined;

/** A step, and its notation in RFC 9535. */
interface Token {
  read: Step;
  text: string;
}

const named = (name: string): Token => ({ read: member(name), text: `['${name.replaceAll("'", "\\'")}']` });

const TOKENS: readonly [RegExp, (found: RegExpExecArray) => Token | undefined][] = [
  [/^\.([\p{L}_$@][\p{L}\p{N}_$@-]*)/u, ([text, name = ""]) => ({ read: member(name), text })],
  [/^\."([^"]*)"/, ([, name = ""]) => named(name)],
  [/^\[(?:"([^"]*)"|'([^']*)')\]/, ([, double, single]) => named(double ?? single ?? "")],
  [/^\[(-?\d*):(-?\d*)\]/, ([text, from = "", to = ""]) => ({ read: slice(from, to), text })],
  [/^\[(-?\d+)\]/, ([text, index]) => ({ read: element(Number(index)), text })],
  [
    /^\[\?\(?\s*@\s*(==|!=|\^==|==\^|\*==)\s*(?:"([^"]*)"|'([^']*)')\s*\)?\]/,
    ([, operator = "", double, single]) => {
      const wanted = double ?? single ?? "";
      return { read: first(comparison(operator, wanted)), text: `[?(@ ${operator} '${wanted}')]` };
    },
  ],
  [
    /^\[\?\(?\s*search\(\s*@\s*,\s*(?:"([^"]*)"|'([^']*)')\s*\)\s*\)?\]/,
    ([, double, single]) => {
      const source = double ?? single ?? "";
      const pattern = expression(source);
      return pattern && { read: first((text) => pattern.test(text)), text: `[?search(@, '${source}')]` };
    },
  ],
];

function comparison(operator: string, wanted: string): (text: string) => boolean {
  switch (operator) {
    case "!=":
      return (text) => text !== wanted;
    case "^==":
      return (text) => text.startsWith(wanted);
    case "==^":
      return (text) => text.endsWith(wanted);
    case "*==":
      return (text) => text.includes(wanted);
    default:
      return (text) => text === wanted;
  }
}

function expression(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}

/** Parses a path; undefined when it is invalid. */
export function parseRoleClaim(path: string): RoleClaim | undefined {
  let rest = path.trim().replace(/^\$/, "");
  if (rest === "") return undefined;
  const steps: Token[] = [];
  while (rest !== "") {
    const step = nextStep(rest);
    if (!step) return undefined;
    steps.push(step.token);
    rest = rest.slice(step.length);
  }
  return {
    read: (claims) => steps.reduce<unknown>((value, { read }) => read(value), claims),
    path: `$${steps.map(({ text }) => text).join("")}`,
  };
}

function nextStep(text: string): { token: Token; length: number } | undefined {
  for (const [pattern, make] of TOKENS) {
    const found = pattern.exec(text);
    const token = found ? make(found) : undefined;
    if (found && token) return { token, length: found[0].length };
  }
  return undefined;
}
