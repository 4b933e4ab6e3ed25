/** Owns finding where a project's SQL creates and drops objects, by reading it: in DO blocks and functions as well. */
import { type Token, tokenize } from "../statements/lexer.ts";
import { positionOf } from "../statements/split.ts";

/** Objects whose names exclude each other, as Postgres's messages group them. */
export type ObjectKind =
  | "relation"
  | "function"
  | "type"
  | "schema"
  | "role"
  | "extension"
  | "publication"
  | "policy"
  | "trigger"
  | "constraint"
  | "column"
  | OfExtension;

/** Kinds that projects do not make themselves: an extension brings them. */
export type OfExtension = "operator class" | "access method" | "foreign-data wrapper";

/** A place that creates or drops an object. A rename does both. */
export interface Mention {
  readonly change: "create" | "drop";
  readonly kind: ObjectKind;
  /** Undefined where the name has none. */
  readonly schema?: string;
  readonly name: string;
  /** The table of a policy, trigger, constraint or column, without its schema. */
  readonly table?: string;
  /** Whether the object was there under another name. */
  readonly renamed?: true;
  readonly file: string;
  readonly line: number;
  /** The same as an offset in the file's text. */
  readonly offset: number;
}

const KINDS: Readonly<Record<string, ObjectKind>> = {
  table: "relation",
  view: "relation",
  sequence: "relation",
  index: "relation",
  function: "function",
  procedure: "function",
  routine: "function",
  aggregate: "function",
  type: "type",
  domain: "type",
  schema: "schema",
  role: "role",
  user: "role",
  extension: "extension",
  publication: "publication",
  policy: "policy",
  trigger: "trigger",
};
/** Words between CREATE and the kind of object. */
const BEFORE_KIND = new Set(
  "or replace temp temporary unlogged global local unique materialized foreign recursive constraint event".split(
    " ",
  ),
);
const BEFORE_NAME = new Set(["if", "not", "exists", "only", "concurrently"]);
/** What begins an entry of CREATE TABLE that is no column. */
const NO_COLUMN = new Set(["primary", "unique", "check", "foreign", "exclude", "like"]);

/** What a place creates or drops. */
type Unplaced = Omit<Mention, "file" | "line" | "offset">;

/** The places of the files that create or drop an object that is asked for, in the files' order. */
export function mentionsIn(
  files: readonly { path: string; sql: string }[],
  asked: (mention: Unplaced) => boolean,
): Mention[] {
  return files.flatMap(({ path, sql }) => {
    const found: Mention[] = [];
    read(sql, 0, (offset, mention) => {
      if (asked(mention)) found.push({ ...mention, file: path, line: positionOf(sql, offset).line, offset });
    });
    return found;
  });
}

type Report = (offset: number, mention: Unplaced) => void;

/** @param base offset of the text in its file. */
function read(text: string, base: number, report: Report): void {
  const tokens = tokenize(text);
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "string" && /\b(create|alter|drop)\b/i.test(token.value)) {
      const lead = text[token.from] === "$" ? text.indexOf("$", token.from + 1) + 1 - token.from : 1;
      read(token.value, base + token.from + lead, report);
    }
    if (token.kind !== "name") continue;
    const tell: Report = (offset, mention) => report(base + offset, mention);
    if (token.value === "create") readCreate(tokens, at, tell);
    else if (token.value === "drop") readDrop(tokens, at, tell);
    else if (token.value === "alter") readAlter(tokens, at, tell);
  }
}

interface Name {
  schema?: string;
  name: string;
  /** Index of the token after it. */
  next: number;
}

const word = (token: Token | undefined) => (token?.kind === "name" ? token.value : undefined);
const isSymbol = (token: Token | undefined, value: string) =>
  token?.kind === "symbol" && token.value === value;

function skip(tokens: readonly Token[], at: number, words: ReadonlySet<string>): number {
  let next = at;
  while (words.has(word(tokens[next]) ?? "")) next += 1;
  return next;
}

function nameAt(tokens: readonly Token[], at: number): Name | undefined {
  const start = skip(tokens, at, BEFORE_NAME);
  const isName = (token: Token | undefined) => token?.kind === "name" || token?.kind === "quoted";
  const [first, dot, second] = tokens.slice(start, start + 3);
  if (!first || !isName(first)) return undefined;
  if (isSymbol(dot, ".") && second && isName(second)) {
    return { schema: first.value, name: second.value, next: start + 3 };
  }
  return { name: first.value, next: start + 1 };
}

function readCreate(tokens: readonly Token[], at: number, report: Report): void {
  const place = skip(tokens, at + 1, BEFORE_KIND);
  const kind = KINDS[word(tokens[place]) ?? ""];
  const named = nameAt(tokens, place + 1);
  const offset = tokens[at]?.from ?? 0;
  if (!kind || !named || word(tokens[named.next - 1]) === "on") return;
  const { schema, name, next } = named;
  if (kind !== "policy" && kind !== "trigger") report(offset, { change: "create", kind, schema, name });
  else report(offset, { change: "create", kind, name, table: tableAfterOn(tokens, next) });
  if (word(tokens[place]) === "table" && isSymbol(tokens[next], "(")) {
    readColumns(tokens, next, name, report);
  }
}

function tableAfterOn(tokens: readonly Token[], from: number): string | undefined {
  const on = tokens.findIndex((token, at) => at >= from && word(token) === "on");
  return on < 0 ? undefined : nameAt(tokens, on + 1)?.name;
}

/** Columns and constraints between the parentheses of CREATE TABLE. */
function readColumns(tokens: readonly Token[], open: number, table: string, report: Report): void {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (isSymbol(token, ")")) depth -= 1;
    if (depth === 0 && at > open) return;
    if (isSymbol(token, "(")) depth += 1;
    const entry = depth === 1 && (at === open || isSymbol(token, ",")) ? tokens[at + 1] : undefined;
    if (!entry || NO_COLUMN.has(word(entry) ?? "")) continue;
    const constraint = word(entry) === "constraint";
    const named = nameAt(tokens, constraint ? at + 2 : at + 1);
    const kind = constraint ? "constraint" : "column";
    if (named) report(entry.from, { change: "create", kind, name: named.name, table });
  }
}

function readDrop(tokens: readonly Token[], at: number, report: Report): void {
  const place = skip(tokens, at + 1, BEFORE_KIND);
  const kind = KINDS[word(tokens[place]) ?? ""];
  const offset = tokens[at]?.from ?? 0;
  if (!kind) return;
  for (let named = nameAt(tokens, place + 1); named; ) {
    const { schema, name, next } = named;
    if (kind === "policy" || kind === "trigger") {
      report(offset, { change: "drop", kind, name, table: tableAfterOn(tokens, next) });
      return;
    }
    report(offset, { change: "drop", kind, schema, name });
    named = isSymbol(tokens[next], ",") ? nameAt(tokens, next + 1) : undefined;
  }
}

/** ALTER that adds a column or a constraint, renames, or moves to another schema. */
function readAlter(tokens: readonly Token[], at: number, report: Report): void {
  const place = skip(tokens, at + 1, BEFORE_KIND);
  const kind = KINDS[word(tokens[place]) ?? ""];
  const own = nameAt(tokens, place + 1);
  if (!kind || !own) return;
  for (let next = own.next; next < tokens.length && !isSymbol(tokens[next], ";"); next += 1) {
    const token = tokens[next];
    const offset = token?.from ?? 0;
    const [first, second] = [word(tokens[next + 1]), word(tokens[next + 2])];
    if (word(token) === "add" && kind === "relation") {
      const marked = first === "column" || first === "constraint";
      const named = nameAt(tokens, next + (marked ? 2 : 1));
      if (!named || (!marked && NO_COLUMN.has(first ?? ""))) continue;
      const added = first === "constraint" ? "constraint" : "column";
      report(offset, { change: "create", kind: added, name: named.name, table: own.name });
    } else if (word(token) === "rename" && first === "to") {
      const renamed = nameAt(tokens, next + 2);
      report(offset, { change: "drop", kind, schema: own.schema, name: own.name });
      if (renamed)
        report(offset, { change: "create", kind, schema: own.schema, name: renamed.name, renamed: true });
    } else if (word(token) === "rename" && kind === "relation") {
      const to = nameAt(tokens, next + (first === "column" || first === "constraint" ? 4 : 3));
      const renamed = first === "constraint" ? "constraint" : "column";
      if (to)
        report(offset, { change: "create", kind: renamed, name: to.name, table: own.name, renamed: true });
    } else if (word(token) === "set" && first === "schema" && second !== undefined) {
      report(offset, { change: "drop", kind, schema: own.schema, name: own.name });
      report(offset, { change: "create", kind, schema: second, name: own.name });
    }
  }
}
