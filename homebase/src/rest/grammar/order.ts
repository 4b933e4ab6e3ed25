/**
 * Owns the grammar of `order` (PostgREST documentation, "Ordering", "Related Orders").
 */
import { expectDelimiter } from "./filter.ts";
import { readField, readName } from "./name.ts";
import type { Scanner } from "./scanner.ts";
import type { OrderTerm } from "./syntax.ts";

/** A comma list of terms, at least one. */
export function readOrder(scanner: Scanner): OrderTerm[] {
  return scanner.separated(
    () => readTerm(scanner),
    () => scanner.expect(","),
  );
}

// Fast path for the most frequent kind of term; it cannot be the cause of a later error.
const PLAIN_TERM = /([A-Za-z0-9_]+)(?:\.(asc|desc))?(?:\.nulls(first|last))?(?=,|$)/y;

function readTerm(scanner: Scanner): OrderTerm {
  const plain = scanner.shortcut(PLAIN_TERM);
  if (plain) {
    const [, name = "", direction, nulls] = plain;
    return orderTerm({ field: { name, path: [] } }, direction, nulls);
  }
  return scanner.lexeme(
    () =>
      scanner.attempt(() => {
        const relation = readName(scanner);
        scanner.expect("(");
        const field = readField(scanner);
        scanner.expect(")");
        return withDirection(scanner, { field, relation });
      }) ?? withDirection(scanner, { field: readField(scanner) }),
  );
}

function withDirection(scanner: Scanner, term: OrderTerm): OrderTerm {
  const direction = takeDelimited(scanner, "asc") ?? takeDelimited(scanner, "desc");
  const nulls = takeDelimited(scanner, "nullsfirst") ?? takeDelimited(scanner, "nullslast");
  if (!scanner.sees(",") && !scanner.seesEnd()) scanner.fail();
  return orderTerm(term, direction, nulls?.slice("nulls".length));
}

function orderTerm(term: OrderTerm, direction: string | undefined, nulls: string | undefined): OrderTerm {
  if (direction !== undefined) term.direction = direction === "asc" ? "asc" : "desc";
  if (nulls !== undefined) term.nulls = nulls === "first" ? "first" : "last";
  return term;
}

/** `.word`, matched as a whole. */
function takeDelimited(scanner: Scanner, word: string): string | undefined {
  return scanner.attempt(() => {
    expectDelimiter(scanner);
    scanner.expectWord(word);
    return word;
  });
}
