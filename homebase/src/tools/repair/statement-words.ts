/** Owns reading a statement as words: the places of a table, the columns and calls beside an operator. Bodies of functions are read too. */
import { tokenize } from "../../postgres/statements/lexer.ts";

/** A name, string, operator of one or more characters, or other symbol. */
export interface Word {
  readonly kind: "name" | "quoted" | "string" | "symbol";
  readonly value: string;
}

const OPERATOR = /^[-+*/<>=~!@#%^&|?:]$/;

/** The words of a text, with those of dollar-quoted bodies in their place. */
export function wordsOf(sql: string): Word[] {
  const words: (Word & { to: number })[] = [];
  for (const { kind, value, from, to } of tokenize(sql)) {
    const before = words.at(-1);
    if (kind === "string" && sql[from] === "$") {
      words.push(...wordsOf(value).map((word) => ({ ...word, to: -1 })));
    } else if (
      kind === "symbol" &&
      OPERATOR.test(value) &&
      before?.to === from &&
      OPERATOR.test(before.value[0] ?? "")
    ) {
      words[words.length - 1] = { kind, value: before.value + value, to };
    } else words.push({ kind, value, to });
  }
  return words;
}

export const isName = (word: Word | undefined): word is Word =>
  word?.kind === "name" || word?.kind === "quoted";
export const isWord = (word: Word | undefined, ...values: string[]) =>
  word?.kind === "name" && values.includes(word.value);
export const isSymbol = (word: Word | undefined, value: string) =>
  word?.kind === "symbol" && word.value === value;

/** A name with its schema. */
export interface ObjectName {
  schema: string;
  name: string;
}

/** The indexes of the words that name this object, with or without its schema. */
export function placesOf(words: readonly Word[], { schema, name }: ObjectName): number[] {
  return words.flatMap((word, at) => {
    if (!isName(word) || word.value !== name) return [];
    const qualified = isSymbol(words[at - 1], ".");
    return !qualified || words[at - 2]?.value === schema ? [at] : [];
  });
}

/** The names of a list of columns; undefined where no parenthesis opens. Expressions in the list are left out. */
export function namesInParentheses(words: readonly Word[], open: number): string[] | undefined {
  if (!isSymbol(words[open], "(")) return undefined;
  return entries(words, open).flatMap((entry) => {
    const [first, second] = entry;
    return isName(first) && (second === undefined || isWord(second, "asc", "desc", "nulls"))
      ? [first.value]
      : [];
  });
}

/** The words between the commas of a parenthesis. */
export function entries(words: readonly Word[], open: number): Word[][] {
  const found: Word[][] = [[]];
  let depth = 0;
  for (const word of words.slice(open, closing(words, open) + 1)) {
    if (isSymbol(word, ")")) depth -= 1;
    if (depth === 1 && isSymbol(word, ",")) found.push([]);
    else if (depth > 0) found.at(-1)?.push(word);
    if (isSymbol(word, "(")) depth += 1;
  }
  return found;
}

/** The index of the parenthesis that ends what begins there, or of the last word. */
export function closing(words: readonly Word[], open: number): number {
  let depth = 0;
  for (let at = open; at < words.length; at += 1) {
    if (isSymbol(words[at], "(")) depth += 1;
    if (isSymbol(words[at], ")")) depth -= 1;
    if (depth === 0) return at;
  }
  return words.length - 1;
}

/** A column or a call beside an operator, by its last name. */
export interface Operand {
  name: string;
  call: boolean;
}

const NO_CALL = ["any", "all", "some", "in", "and", "or", "not", "using", "check", "where", "select", "on"];

/** The column or call before a word: `title`, `t.title`, `is_admin(…)`, `(select is_admin(…))`. */
export function operandBefore(words: readonly Word[], at: number): Operand | undefined {
  const last = words[at - 1];
  if (isName(last)) return { name: last.value, call: false };
  if (!isSymbol(last, ")")) return undefined;
  let open = at - 2;
  while (open > 0 && closing(words, open) !== at - 1) open -= 1;
  const called = words[open - 1];
  if (isName(called) && !isWord(called, ...NO_CALL)) return { name: called.value, call: true };
  return operandBefore(words, at - 1);
}

/** The column or call after a word, in the same forms. */
export function operandAfter(words: readonly Word[], at: number): Operand | undefined {
  let next = at + 1;
  while (isSymbol(words[next], "(") || isWord(words[next], "select", "any", "all", "some")) next += 1;
  if (!isName(words[next])) return undefined;
  while (isSymbol(words[next + 1], ".") && isName(words[next + 2])) next += 2;
  return { name: words[next]?.value ?? "", call: isSymbol(words[next + 1], "(") };
}
