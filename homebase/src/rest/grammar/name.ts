/**
 * Owns names: columns, relations, aliases, JSON keys, casts (docs/compat/rest.md 3, "Names").
 */
import { isLetter, type Scanner } from "./scanner.ts";
import type { Field, JsonStep } from "./syntax.ts";

const FIELD_NAME = "field name (* or [a..z0..9_$])";
const JSON_KEY = "any non reserved character different from: .,>()";

/** A name: quoted, or letters, digits, `_`, `$` and blanks, joined by dashes; outer blanks are trimmed. */
export function readName(scanner: Scanner): string {
  return scanner.labelled(FIELD_NAME, () =>
    scanner.startsWith('"') ? readQuoted(scanner) : readDashed(scanner, () => readIdentifier(scanner)),
  );
}

/** Parts joined by dashes, but not by `->` arrows. */
function readDashed(scanner: Scanner, readPart: () => string): string {
  return scanner
    .separated(readPart, () => {
      if (!scanner.startsWith("-")) scanner.expect("-");
      const dash = scanner.attempt(() => {
        scanner.expect("-");
        scanner.refuse((character) => character === ">", ['">"']);
        return true;
      });
      if (!dash) scanner.fail();
    })
    .join("-");
}

/** Letters, digits, `_`, `$` and blanks only, so safe in SQL unquoted. */
export function readIdentifier(scanner: Scanner): string {
  return scanner.takeSome(isNameCharacter, ["letter", "digit"]).trim();
}

function isNameCharacter(character: string): boolean {
  return /[A-Za-z0-9_ $]/.test(character) || isLetter(character);
}

/** A text in double quotes; a backslash escapes the next character. */
export function readQuoted(scanner: Scanner): string {
  scanner.expect('"');
  let text = "";
  for (;;) {
    text += scanner.takeWhile((character) => character !== '"' && character !== "\\");
    if (!scanner.take("\\")) break;
    text += scanner.takeCharacter();
  }
  scanner.expect('"');
  return text;
}

/** A column and its JSON path, blanks around it skipped. */
export function readField(scanner: Scanner): Field {
  return scanner.lexeme(() => ({ name: readName(scanner), path: readPath(scanner) }));
}

export function readPath(scanner: Scanner): JsonStep[] {
  let steps = 0;
  return scanner.many(() => {
    const arrow = takeArrow(scanner);
    if (arrow === undefined) return scanner.fail();
    steps += 1;
    scanner.requireLevel(steps);
    return { arrow, ...readOperand(scanner) };
  });
}

function takeArrow(scanner: Scanner): JsonStep["arrow"] | undefined {
  if (scanner.takeWord("->>")) return "->>";
  return scanner.takeWord("->") ? "->" : undefined;
}

function readOperand(scanner: Scanner): { key: string; index: boolean } {
  const index = scanner.attempt(() => {
    const sign = scanner.take("-") ? "-" : "";
    const digits = scanner.takeSome((character) => character >= "0" && character <= "9", ["digit"]);
    if (!END_OF_INDEX.some((end) => scanner.sees(end)) && !scanner.seesEnd()) scanner.fail();
    return sign + digits;
  });
  if (index !== undefined) return { key: index, index: true };
  const key = scanner.attempt(() => readKey(scanner));
  return key === undefined ? scanner.fail() : { key, index: false };
}

const END_OF_INDEX = ["->", "::", ".", ","];

function readKey(scanner: Scanner): string {
  return scanner.labelled(JSON_KEY, () => {
    if (scanner.startsWith('"')) return readQuoted(scanner);
    return readDashed(scanner, () => scanner.takeSome((character) => !"(-:.,>)".includes(character)).trim());
  });
}

/** `::type`, if present. */
export function readCast(scanner: Scanner): string | undefined {
  return scanner.option(() => {
    scanner.expectWord("::");
    return readIdentifier(scanner);
  });
}
