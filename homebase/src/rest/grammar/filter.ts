/**
 * Owns the grammar of filter values and logic trees (PostgREST documentation, "Horizontal Filtering",
 * "Logical operators").
 */
import { readField, readIdentifier, readQuoted } from "./name.ts";
import type { Scanner } from "./scanner.ts";
import {
  type Filter,
  IS_VALUES,
  type IsValue,
  type LogicGroup,
  type LogicTree,
  type Operation,
  PLAIN,
  type PlainOperator,
  QUANTIFIABLE,
  type QuantifiableOperator,
  type Quantifier,
  TEXT_SEARCH,
} from "./syntax.ts";

const OPERATOR = "operator (eq, gt, ...)";
const DELIMITER = "delimiter (.)";
const IS_VALUE = "isVal: (null, not_null, true, false, unknown)";

type ReadValue = (scanner: Scanner) => string;

/** An operator with any value: `[not.]op[(modifier)].value`; the value is the rest of the text. */
export function readOperation(scanner: Scanner): { negated: boolean; operation: Operation } {
  return readExpression(scanner, (rest) => rest.takeWhile(() => true));
}

/** The dot between tokens. */
export function expectDelimiter(scanner: Scanner): void {
  scanner.expect(".", DELIMITER);
}

// Fast path for the beginning of nearly every filter; it cannot be the cause of a later error.
const COMPARISON = /(not\.)?(eq|gte?|lte?|i?like|i?match)(?:\((any|all)\))?\./y;

function readExpression(scanner: Scanner, readValue: ReadValue): { negated: boolean; operation: Operation } {
  const comparison = scanner.shortcut(COMPARISON);
  if (comparison) {
    const [, not, operator, quantifier] = comparison;
    const given = quantifier === undefined ? {} : { quantifier: quantifier as Quantifier };
    const compared = { operator: operator as QuantifiableOperator, ...given };
    return {
      negated: not !== undefined,
      operation: { kind: "compare", ...compared, value: readValue(scanner) },
    };
  }
  const negated = takeDelimited(scanner, "not");
  return { negated, operation: scanner.labelled(OPERATOR, () => readAnyOperation(scanner, readValue)) };
}

/** `word.`, matched as a whole. */
function takeDelimited(scanner: Scanner, word: string): boolean {
  if (!scanner.startsWith(word)) return scanner.takeWord(word);
  const taken = scanner.attempt(() => {
    scanner.expectWord(word);
    expectDelimiter(scanner);
    return true;
  });
  return taken === true;
}

function readAnyOperation(scanner: Scanner, readValue: ReadValue): Operation {
  if (takeDelimited(scanner, "in")) return { kind: "in", values: readList(scanner) };
  if (takeDelimited(scanner, "is")) return { kind: "is", value: readIs(scanner) };
  if (takeDelimited(scanner, "isdistinct")) return { kind: "distinct", value: readValue(scanner) };
  const operation =
    scanner.attempt(() => readSearch(scanner, readValue)) ??
    scanner.attempt(() => readPlain(scanner, readValue)) ??
    scanner.attempt(() => readComparison(scanner, readValue));
  return operation ?? scanner.fail();
}

function readSearch(scanner: Scanner, readValue: ReadValue): Operation {
  const operator = oneOf(scanner, TEXT_SEARCH);
  const language = scanner.attempt(() => {
    scanner.expect("(");
    const name = readIdentifier(scanner);
    scanner.expect(")");
    return name;
  });
  expectDelimiter(scanner);
  const value = readValue(scanner);
  return { kind: "search", operator, language, value };
}

function readPlain(scanner: Scanner, readValue: ReadValue): Operation {
  const operator: PlainOperator = oneOf(scanner, PLAIN);
  expectDelimiter(scanner);
  return { kind: "plain", operator, value: readValue(scanner) };
}

function readComparison(scanner: Scanner, readValue: ReadValue): Operation {
  const operator = oneOf(scanner, QUANTIFIABLE);
  const quantifier = scanner.attempt((): Quantifier => {
    scanner.expect("(");
    const word = scanner.takeWord("any") ? "any" : "all";
    if (word === "all") scanner.expectWord("all");
    scanner.expect(")");
    return word;
  });
  expectDelimiter(scanner);
  const value = readValue(scanner);
  return { kind: "compare", operator, quantifier, value };
}

function oneOf<Word extends string>(scanner: Scanner, words: readonly Word[]): Word {
  return words.find((word) => scanner.takeWord(word)) ?? scanner.fail();
}

function readIs(scanner: Scanner): IsValue {
  return scanner.labelled(IS_VALUE, () => {
    return IS_VALUES.find((value) => scanner.takeAnyCase(value)) ?? scanner.fail();
  });
}

/** `(a,"b",c)`; a quoted element that is not followed by `,` or `)` keeps its quotes. */
function readList(scanner: Scanner): string[] {
  scanner.lexeme(() => scanner.expect("("));
  const values = scanner.separated(
    () => readElement(scanner),
    () => scanner.expect(","),
  );
  scanner.lexeme(() => scanner.expect(")"));
  return values;
}

const endsElement = (character: string) => character === "," || character === ")";
const isOfElement = (character: string) => !endsElement(character);

function readElement(scanner: Scanner): string {
  return readQuotedElement(scanner) ?? scanner.takeWhile(isOfElement);
}

function readQuotedElement(scanner: Scanner): string | undefined {
  if (!scanner.startsWith('"')) {
    scanner.take('"');
    return undefined;
  }
  return scanner.attempt(() => {
    const value = readQuoted(scanner);
    scanner.refuse(isOfElement);
    return value;
  });
}

/** A value inside a logic tree: quoted, an array literal, or raw up to `,` or `)`. */
function readMemberValue(scanner: Scanner): string {
  const quoted = readQuotedElement(scanner);
  if (quoted !== undefined) return quoted;
  return readArray(scanner) ?? scanner.takeWhile(isOfElement);
}

function readArray(scanner: Scanner): string | undefined {
  if (!scanner.startsWith("{")) {
    scanner.take("{");
    return undefined;
  }
  return scanner.attempt(() => {
    scanner.expect("{");
    const inside = scanner.takeWhile((character) => character !== "{" && character !== "}");
    scanner.expect("}");
    return `{${inside}}`;
  });
}

/** A filter, or `[not.]and(…)` / `[not.]or(…)`. */
export function readLogic(scanner: Scanner): LogicTree {
  return scanner.attempt(() => readFilter(scanner)) ?? readGroup(scanner);
}

function readFilter(scanner: Scanner): Filter {
  const field = readField(scanner);
  expectDelimiter(scanner);
  return { kind: "filter", field, ...readExpression(scanner, readMemberValue) };
}

function readGroup(scanner: Scanner): LogicGroup {
  const negated = scanner.labelled("negation operator (not)", () => takeDelimited(scanner, "not"));
  const operator = scanner.labelled("logic operator (and, or)", () => {
    if (scanner.takeWord("and")) return "and";
    scanner.expectWord("or");
    return "or";
  });
  scanner.lexeme(() => scanner.expect("("));
  const members = scanner.separated(
    () => scanner.nested(() => readLogic(scanner)),
    () => scanner.lexeme(() => scanner.expect(",")),
  );
  scanner.lexeme(() => scanner.expect(")"));
  return { kind: "group", operator, negated, members };
}
