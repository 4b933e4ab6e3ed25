/**
 * Owns names: columns, relations, aliases, JSON keys, casts (compat: "Names" of the query grammar).
 */
import { isLetterOrDigit, type Scanner } from "./scanner.ts";
import type { Field, JsonStep } from "./syntax.ts";

export const FIELD_NAME = "field name (* or [a..z0..9_$])";

/** A name: quoted, or letters, digits, `_`, `$`, blanks, joined by dashes; outer blanks are cut. */
export function readName(scanner: Scanner): string {
  scanner.takeWhile((character) => character === " ");
  if (scanner.startsWith('"')) {
    const name = readQuoted(scanner);
    scanner.takeWhile((character) => character === " ");
    return name;
  }
  const from = scanner.at;
  readWord(scanner);
  while (scanner.startsWith("-") && !scanner.startsWith("->")) {
    const dash = scanner.at;
    scanner.at += 1;
    if (!isWordCharacter(scanner.peek())) {
      scanner.at = dash;
      break;
    }
    readWord(scanner);
  }
  return scanner.text.slice(from, scanner.at).trim();
}

function readWord(scanner: Scanner): void {
  if (!isWordCharacter(scanner.peek())) scanner.fail(FIELD_NAME);
  scanner.takeWhile(isWordCharacter);
}

function isWordCharacter(character: string): boolean {
  return character === "_" || character === "$" || character === " " || isLetterOrDigit(character);
}

/** A text in double quotes; backslash takes the next character as it is. */
export function readQuoted(scanner: Scanner): string {
  scanner.expect('"');
  let text = "";
  for (;;) {
    const character = scanner.peek();
    if (character === "") scanner.fail('"\\""');
    scanner.at += character.length;
    if (character === '"') return text;
    if (character === "\\") {
      const escaped = scanner.peek();
      if (escaped === "") scanner.fail("any character");
      scanner.at += escaped.length;
      text += escaped;
    } else text += character;
  }
}

/** A column and its JSON path. */
export function readField(scanner: Scanner): Field {
  const name = scanner.labelled(FIELD_NAME, () => readName(scanner));
  return { name, path: readPath(scanner) };
}

function readPath(scanner: Scanner): JsonStep[] {
  const path: JsonStep[] = [];
  while (scanner.startsWith("->")) {
    const arrow = scanner.take("->>") ? "->>" : "->";
    if (arrow === "->") scanner.take("->");
    path.push({ arrow, ...readKey(scanner) });
  }
  return path;
}

const INDEX = /-?\d+(?=->|::|[.,]|$)/y;

function readKey(scanner: Scanner): { key: string; index: boolean } {
  INDEX.lastIndex = scanner.at;
  const index = INDEX.exec(scanner.text);
  if (index) {
    scanner.at += index[0].length;
    return { key: index[0], index: true };
  }
  if (scanner.startsWith('"')) return { key: readQuoted(scanner), index: false };
  const from = scanner.at;
  readKeyWord(scanner);
  while (scanner.startsWith("-") && !scanner.startsWith("->")) {
    scanner.at += 1;
    readKeyWord(scanner);
  }
  return { key: scanner.text.slice(from, scanner.at), index: false };
}

function readKeyWord(scanner: Scanner): void {
  const word = scanner.takeWhile((character) => !"(-:.,>)".includes(character));
  if (!word) scanner.fail("any non reserved character different from: .,>()");
}

/** A cast: letters, digits, `_`, `$`, blanks; hence safe to stand in SQL as it is. */
export function readCast(scanner: Scanner): string | undefined {
  if (!scanner.take("::")) return undefined;
  const cast = scanner.takeWhile(isWordCharacter).trim();
  if (!cast) scanner.fail("cast type");
  return cast;
}
