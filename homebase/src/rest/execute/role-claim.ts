/**
 * Owns where in a token's claims the role stands: the subset of JSONPath that PostgREST reads, in the
 * spelling of RFC 9535 and in its older one without "$" (its documentation, "JWT Role Extraction").
 */
import type { Claims } from "../../service/keys.ts";

/** Finds the role's value; undefined when the claims have none. */
export type RoleClaim = (claims: Claims) => unknown;

export const DEFAULT_ROLE_CLAIM: RoleClaim = (claims) => claims.role;

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

/** The first text of an array that passes. */
const first =
  (passes: (text: string) => boolean): Step =>
  (value) =>
    Array.isArray(value) ? value.find((one) => typeof one === "string" && passes(one)) : undefined;

const TOKENS: readonly [RegExp, (found: RegExpExecArray) => Step | undefined][] = [
  [/^\.([\p{L}_$@][\p{L}\p{N}_$@-]*)/u, ([, name = ""]) => member(name)],
  [/^\."([^"]*)"/, ([, name = ""]) => member(name)],
  [/^\[(?:"([^"]*)"|'([^']*)')\]/, ([, double, single]) => member(double ?? single ?? "")],
  [/^\[(-?\d+)\]/, ([, index]) => element(Number(index))],
  [
    /^\[\?\(?\s*@\s*(==|!=|\^==|==\^|\*==)\s*(?:"([^"]*)"|'([^']*)')\s*\)?\]$/,
    ([, operator = "", double, single]) => first(comparison(operator, double ?? single ?? "")),
  ],
  [
    /^\[\?\(?\s*search\(\s*@\s*,\s*(?:"([^"]*)"|'([^']*)')\s*\)\s*\)?\]$/,
    ([, double, single]) => {
      const pattern = expression(double ?? single ?? "");
      return pattern ? first((text) => pattern.test(text)) : undefined;
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

/** @returns undefined when `path` is none that can be read. */
export function parseRoleClaim(path: string): RoleClaim | undefined {
  let rest = path.trim().replace(/^\$/, "");
  if (rest === "") return undefined;
  const steps: Step[] = [];
  while (rest !== "") {
    const step = nextStep(rest);
    if (!step) return undefined;
    steps.push(step.read);
    rest = rest.slice(step.length);
  }
  return (claims) => steps.reduce<unknown>((value, read) => read(value), claims);
}

function nextStep(text: string): { read: Step; length: number } | undefined {
  for (const [pattern, make] of TOKENS) {
    const found = pattern.exec(text);
    const read = found ? make(found) : undefined;
    if (found && read) return { read, length: found[0].length };
  }
  return undefined;
}
