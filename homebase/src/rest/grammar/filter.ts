/**
 * Owns the grammar of filter values and logic trees (PostgREST documentation, "Horizontal Filtering",
 * "Logical operators").
 */
import { FIELD_NAME, readField, readQuoted } from "./name.ts";
import type { Scanner } from "./scanner.ts";
import {
  type Filter,
  IS_VALUES,
  type LogicGroup,
  type LogicTree,
  type Operation,
  PLAIN,
  QUANTIFIABLE,
  TEXT_SEARCH,
} from "./syntax.ts";

const OPERATOR = "operator (eq, gt, ...)";
const ISDISTINCT = "isdistinct.";

type ReadValue = (scanner: Scanner) => string;

/** `[not.]op[(modifier)].value`, the value being all the rest. */
export function readOperation(scanner: Scanner): { negated: boolean; operation: Operation } {
  return readExpression(scanner, (rest) => rest.takeWhile(() => true));
}

function readExpression(scanner: Scanner, readValue: ReadValue): { negated: boolean; operation: Operation } {
  const negated = scanner.take("not.");
  if (!negated && !scanner.startsWith("not")) scanner.note('"not"');
  const operation = scanner.labelled(OPERATOR, () => readAnyOperation(scanner, readValue));
  return { negated, operation };
}

function readAnyOperation(scanner: Scanner, readValue: ReadValue): Operation {
  if (scanner.take("in.")) return { kind: "in", values: readList(scanner) };
  if (scanner.take("is.")) return readIs(scanner);
  if (scanner.take(ISDISTINCT)) return { kind: "distinct", value: readValue(scanner) };
  const word = scanner.attempt(() => {
    const name = scanner.takeWhile((character) => character >= "a" && character <= "z");
    if (!scanner.startsWith(".") && !scanner.startsWith("(")) scanner.fail("delimiter (.)");
    return name;
  });
  if (word === undefined) return scanner.fail(OPERATOR);
  const compare = QUANTIFIABLE.find((one) => one === word);
  if (compare) {
    const quantifier = scanner.take("(any)") ? "any" : scanner.take("(all)") ? "all" : undefined;
    scanner.expect(".", "delimiter (.)");
    const value = readValue(scanner);
    return { kind: "compare", operator: compare, ...(quantifier ? { quantifier } : {}), value };
  }
  const search = TEXT_SEARCH.find((one) => one === word);
  if (search) {
    let language: string | undefined;
    if (scanner.take("(")) {
      language = scanner.takeWhile((character) => character !== ")");
      scanner.expect(")");
    }
    scanner.expect(".", "delimiter (.)");
    const value = readValue(scanner);
    return { kind: "search", operator: search, ...(language === undefined ? {} : { language }), value };
  }
  const plain = PLAIN.find((one) => one === word);
  if (!plain) {
    scanner.at -= word.length;
    return scanner.fail(OPERATOR);
  }
  scanner.expect(".", "delimiter (.)");
  return { kind: "plain", operator: plain, value: readValue(scanner) };
}

function readIs(scanner: Scanner): Operation {
  const rest = scanner.text.slice(scanner.at, scanner.at + 8).toLowerCase();
  for (const value of IS_VALUES) {
    if (rest.startsWith(value)) {
      scanner.at += value.length;
      return { kind: "is", value };
    }
  }
  return scanner.fail("isVal: (null, not_null, true, false, unknown)");
}

/** `(a,"b",c)`; a quoted element that is not followed by `,` or `)` is taken with its quotes. */
export function readList(scanner: Scanner): string[] {
  scanner.expect("(");
  const values: string[] = [];
  do {
    values.push(readElement(scanner));
  } while (scanner.take(","));
  scanner.expect(")");
  return values;
}

function readElement(scanner: Scanner): string {
  if (scanner.startsWith('"')) {
    const quoted = scanner.attempt(() => {
      const value = readQuoted(scanner);
      if (!scanner.startsWith(",") && !scanner.startsWith(")")) scanner.fail('","');
      return value;
    });
    if (quoted !== undefined) return quoted;
  }
  return scanner.takeWhile((character) => character !== "," && character !== ")");
}

/** A value inside a logic tree: quoted, an array literal, or raw up to `,` or `)`. */
function readMemberValue(scanner: Scanner): string {
  if (scanner.startsWith("{")) {
    const array = scanner.attempt(() => {
      const from = scanner.at;
      scanner.at += 1;
      scanner.takeWhile((character) => character !== "{" && character !== "}");
      scanner.expect("}");
      return scanner.text.slice(from, scanner.at);
    });
    if (array !== undefined) return array;
  }
  return readElement(scanner);
}

/** `(member,…)`, the operator itself having been read. */
export function readGroup(scanner: Scanner, operator: "and" | "or", negated: boolean): LogicGroup {
  scanner.expect("(");
  const members: LogicTree[] = [];
  do {
    scanner.skipBlanks();
    members.push(readMember(scanner));
    scanner.skipBlanks();
  } while (scanner.take(","));
  scanner.expect(")");
  return { kind: "group", operator, negated, members };
}

function readMember(scanner: Scanner): LogicTree {
  const head = scanner.attempt(() => {
    const negated = scanner.take("not.");
    const operator = scanner.take("and") ? "and" : scanner.take("or") ? "or" : undefined;
    if (!operator || !scanner.startsWith("(")) scanner.fail("");
    return { operator, negated } as const;
  });
  if (head) return readGroup(scanner, head.operator, head.negated);
  return readFilter(scanner);
}

function readFilter(scanner: Scanner): Filter {
  const field = scanner.attempt(() => readField(scanner));
  if (!field) {
    scanner.note(FIELD_NAME);
    scanner.note("negation operator (not)");
    return scanner.fail("logic operator (and, or)");
  }
  scanner.expect(".", "delimiter (.)");
  return { kind: "filter", field, ...readExpression(scanner, readMemberValue) };
}
