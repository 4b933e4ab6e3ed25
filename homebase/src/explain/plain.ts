/** Owns SQL as it stands in a sentence: queries by the tables that they look in, and alternatives joined by "or". */
import { tokenize } from "../postgres/statements/lexer.ts";
import {
  atDepthZero,
  closing,
  type Expression,
  isSymbol,
  isWord,
  splitExpression,
} from "./expression/expression.ts";
import { tablesIn } from "./expression/references.ts";
import { ENDS, readParts } from "./expression/subquery.ts";
import { listed, pretty } from "./words.ts";

/** The time, whose value a sentence leaves out. */
export const TIME = /\b(now\(\)|CURRENT_(DATE|TIME|TIMESTAMP))/;

/** The longest condition that a sentence quotes. */
const LONGEST_CONDITION = 110;

/** A canonical condition in the words of a sentence. @param longest so many characters; the tree has the whole. */
export function plain(text: string, aliases: readonly string[] = [], longest = LONGEST_CONDITION): string {
  const written = withoutDoubled(joined(splitExpression(withoutQueries(pretty(text, aliases)))));
  return written.length > longest ? `${written.slice(0, longest - 1).trimEnd()}…` : written;
}

/** HAVING and what ends it. */
const AFTER_GROUPS = ENDS.filter((word) => word !== "group");

/** The opposite of each operator, as words between its sides. */
const DENIED: Record<string, string> = {
  "IS NOT NULL": "is null",
  "IS NULL": "is not null",
  "not in": "is in",
  "NOT IN": "is in",
  in: "is not in",
  IN: "is not in",
  "=": "is not",
  "<>": "is",
  "@>": "does not contain",
  "<@": "is not within",
  "&&": "has nothing in common with",
  LIKE: "is not like",
  ILIKE: "is not like",
  "NOT LIKE": "is like",
  "NOT ILIKE": "is like",
  "<": "is not <",
  "<=": "is not <=",
  ">": "is not >",
  ">=": "is not >=",
};
const OPERATOR = / (IS NOT NULL|IS NULL|NOT I?LIKE|I?LIKE|not in|in|NOT IN|IN|[-+*/=<>!~@#%^&|?]+)(?= |$)/g;

/** A condition's opposite in words; undefined where it has another operator, or more than one. */
export function denied(text: string): string | undefined {
  const mask = [...text].fill("_");
  for (const { kind, from, to } of atDepthZero(text)) {
    // A blank beside what stands outside of quotes and parentheses does so, too.
    const keep = (at: number) => {
      mask[at] = text[at] ?? "_";
    };
    if (kind === "name" || kind === "symbol") for (let at = from; at < to; at += 1) keep(at);
    for (const at of [from - 1, to]) if (text[at] === " ") keep(at);
  }
  const [operator, ...more] = mask.join("").matchAll(OPERATOR);
  const words = DENIED[operator?.[1] ?? ""];
  if (!operator || more.length > 0 || words === undefined) return undefined;
  if (/^ (ANY|ALL)\b/.test(text.slice(operator.index + operator[0].length))) return undefined;
  return `${text.slice(0, operator.index)} ${words}${text.slice(operator.index + operator[0].length)}`;
}

/** `a IS DISTINCT FROM b` as its opposite, which people say: `a = b`. */
export function asEquality(text: string, wanted: boolean): { text: string; wanted: boolean } {
  const tokens = atDepthZero(text);
  const at = tokens.findIndex((one) => isWord(one, "is"));
  const [is, distinct, from] = tokens.slice(at);
  if (at < 0 || !is || !distinct || !from || !isWord(distinct, "distinct") || !isWord(from, "from"))
    return { text, wanted };
  return { text: `${text.slice(0, is.from)}=${text.slice(from.to)}`, wanted: !wanted };
}

/** Without the parentheses that only SQL needs. */
function joined(expression: Expression, inner = false): string {
  if (expression.kind === "leaf") return expression.text;
  if (expression.kind === "not") return `not ${joined(expression.member, true)}`;
  const text = expression.members.map((one) => joined(one, true)).join(` ${expression.kind} `);
  return inner ? `(${text})` : text;
}

/** `((a))` as `(a)`. */
function withoutDoubled(text: string): string {
  const open: number[] = [];
  const ends = new Map<number, number>();
  for (const token of tokenize(text)) {
    if (isSymbol(token, "(")) open.push(token.from);
    if (isSymbol(token, ")")) ends.set(open.pop() ?? -1, token.from);
  }
  const doubled = [...ends].filter(([from, to]) => ends.get(from + 1) === to - 1).flat();
  return [...text].filter((_, at) => !doubled.includes(at)).join("");
}

/** Each query, from the outermost in, replaced by its output and its tables. */
function withoutQueries(text: string): string {
  if (/^(SELECT|WITH)\b/.test(text)) return phraseOf(text).one;
  const tokens = tokenize(text);
  const at = tokens.findIndex((one, at) => isSymbol(one, "(") && beginsQuery(tokens[at + 1]));
  const open = tokens[at];
  const close = open && closing(tokens, at);
  if (!close) return text;
  const { one, all, some } = phraseOf(text.slice(open.to, close.from));
  const before = text.slice(0, open.from);
  const set = /(?: IN| = ANY| <> ALL|\bEXISTS) \(*(?:ARRAY)?$/.exec(before);
  // The parentheses between the operator and the query end after it, unless a cast makes it one value.
  const extra = (set?.[0].split("(").length ?? 1) - 1;
  if (!set || !text.startsWith(")".repeat(extra), close.to)) {
    const value = /\bARRAY$/.test(before)
      ? `${before.slice(0, -"ARRAY".length)}the list of ${one}`
      : before + one;
    return withoutQueries(value + text.slice(close.to));
  }
  const operator = /EXISTS/.test(set[0])
    ? ""
    : / IN/.test(set[0]) || / = ANY/.test(set[0])
      ? " in "
      : " not in ";
  const phrase = operator === "" ? some : operator + all;
  return withoutQueries(before.slice(0, set.index) + phrase + text.slice(close.to + extra));
}

function beginsQuery(token: ReturnType<typeof tokenize>[number] | undefined): boolean {
  return token !== undefined && (isWord(token, "select") || isWord(token, "with") || isWord(token, "values"));
}

/** A query as its value ("role of members"), as all its rows ("a query of members"), and as one of them. */
function phraseOf(query: string): { one: string; all: string; some: string } {
  const names = [...new Set(tablesIn(query).map(({ table }) => table.name))];
  if (names.length === 0) {
    const { from, output } = readParts(query) ?? {};
    const own = output !== undefined && from === undefined ? output : undefined;
    const all = own === undefined ? "a list" : `(${own})`;
    return { one: own ?? "the value of a query", all, some: all };
  }
  const tables = listed(names);
  const output = /^\s*SELECT ([\w$]+\()?(?:[\w$]+\.)?([\w$*]+\)?)(?: AS \w+)? FROM/.exec(query);
  const value = output ? `${output[1] ?? ""}${output[2]}` : "the value";
  const one = `${value} of ${tables}`;
  const [having, end] = atDepthZero(query).filter((token) =>
    AFTER_GROUPS.some((word) => isWord(token, word)),
  );
  if (!having || !isWord(having, "having"))
    return { one, all: `a query of ${tables}`, some: `a row of ${tables}` };
  const aliases = tablesIn(query).map(({ alias }) => alias);
  const wanted = plain(query.slice(having.to, end?.from), aliases);
  return {
    one,
    all: `a query of ${tables} in groups with ${wanted}`,
    some: `a group of ${tables} with ${wanted}`,
  };
}
