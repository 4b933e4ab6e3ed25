/**
 * Owns a statement of a body whose names may be variables: as in PL/pgSQL, a name is a column first, and a variable where
 * there is no such column. Which one it is Postgres says: a name that it does not know becomes a typed parameter.
 */
import type pg from "pg";
import { quote } from "../postgres/quoting.ts";
import { describeStatement, isRefusal } from "./describe.ts";
import type { Column } from "./type-lookup.ts";

/** What a name stands for: a value of a type, a record of these columns (with a type, if it has a name), or nobody knows. */
export type Shape =
  | { kind: "value"; type: number }
  | { kind: "record"; type: number | undefined; columns: Column[] }
  | { kind: "unknown" };

export interface Found {
  /** The variable's number. */
  varno: number;
  shape: Shape;
  /** The names that are left, e.g. a field. */
  rest: string[];
  /** How the variable is called, for messages. */
  name: string;
}

export type Lookup = (names: readonly string[]) => Found | undefined;

export interface Analysis {
  /** Undefined where something is not known that decides. */
  columns: Column[] | undefined;
  /** Whether the statement could be looked at. */
  known: boolean;
  /** Variables that are read. */
  read: Set<number>;
  problem?: Problem;
  /** As libpg-query reads the statement. */
  tree: unknown;
}

export interface Problem {
  message: string;
  sqlState: string;
  hint?: string | undefined;
  detail?: string | undefined;
  /** In characters from 1, in the statement as it is written. */
  position?: number | undefined;
}

/** A part of the statement, in bytes. */
interface Piece {
  from: number;
  to: number;
}

interface Reference extends Piece {
  names: string[];
  hasStar: boolean;
  /** Of a name that stands alone in ORDER BY or GROUP BY, where a column of the result comes first. */
  mayBeOutput: boolean;
}

/** Codes of Postgres for a name that is no column: of a column, a table, a database. */
const NOT_KNOWN = new Set(["42703", "42P01", "0A000"]);

export interface Question {
  text: string;
  /** The text before it that makes it a statement, e.g. `SELECT ` of an expression; positions do not count it. */
  prefix: string;
  /** `#variable_conflict use_column` */
  prefersColumns: boolean;
  /** A trigger's transition tables, by name, with the table that has their columns. */
  transitions: ReadonlyMap<string, string>;
  lookup: Lookup;
  /** The parameters `$1`, `$2`, …. */
  numbered: (number: number) => Found | undefined;
}

export async function analyse(client: pg.Client, question: Question): Promise<Analysis> {
  const { text, prefix, prefersColumns, transitions, lookup, numbered } = question;
  const { parseSync } = await import("libpg-query");
  const whole = prefix + text;
  const bytes = Buffer.from(whole);
  const read = new Set<number>();
  const tree = parseSync(whole) as unknown;
  const unknown: Analysis = { columns: undefined, known: false, read, tree };
  const { references, parameters, relations, hasTables } = namesIn(tree, bytes);
  const replaced = new Map<Piece, string>();
  const types: number[] = [];
  const parameter = (type: number) => `$${types.push(type)}`;
  let allKnown = true;
  let problem: Problem | undefined;

  const replace = (reference: Reference, found: Found): void => {
    read.add(found.varno);
    const { shape, rest, name } = found;
    if (shape.kind === "value" && rest.length === 0 && !reference.hasStar)
      replaced.set(reference, parameter(shape.type));
    else if (shape.kind === "record") {
      const [field] = rest;
      const column = shape.columns.find(({ name }) => name === field);
      if (column) replaced.set(reference, parameter(column.type));
      else if (field !== undefined) {
        allKnown = false;
        problem ??= {
          message: `record "${name}" has no field "${field}"`,
          sqlState: "42703",
          position: characters(bytes, reference.from) + 1 - prefix.length,
        };
      } else if (reference.hasStar)
        replaced.set(reference, shape.columns.map(({ type }) => parameter(type)).join(", "));
      else if (shape.type !== undefined) replaced.set(reference, parameter(shape.type));
      else allKnown = false;
    } else allKnown = false;
  };

  for (const one of relations) {
    const table = transitions.get(one.name);
    if (table) replaced.set(one, one.hasAlias ? table : `${table} as ${quote(one.name)}`);
  }
  for (const one of parameters) {
    const found = numbered(one.number);
    const reference = { names: [], hasStar: false, mayBeOutput: false, from: one.from, to: one.to };
    if (found) replace(reference, found);
    else allKnown = false;
  }
  if (!hasTables)
    for (const reference of references) {
      const found = lookup(reference.names);
      if (found) replace(reference, found);
    }
  for (;;) {
    if (!allKnown) {
      // What else is read is read all the same.
      for (const reference of references) {
        const found = replaced.has(reference) ? undefined : lookup(reference.names);
        if (found) read.add(found.varno);
      }
      return { ...unknown, ...(problem ? { problem } : {}) };
    }
    const pieces = written(bytes, replaced);
    try {
      const { columns } = await describeStatement(client, pieces.text, types);
      if (!prefersColumns) problem = ambiguous(references, replaced, lookup, bytes, prefix.length);
      return { columns: columns ?? [], known: true, read, tree, ...(problem ? { problem } : {}) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const at = error.position ? pieces.original(Number(error.position) - 1) : undefined;
      const reference = references.find((one) => one.from === at && !replaced.has(one));
      const found = reference && NOT_KNOWN.has(error.code ?? "") ? lookup(reference.names) : undefined;
      if (reference && found) {
        replace(reference, found);
        continue;
      }
      for (const one of references) {
        const other = lookup(one.names);
        if (other) read.add(other.varno);
      }
      return {
        ...unknown,
        problem: {
          message: error.message,
          sqlState: error.code ?? "XX000",
          hint: error.hint,
          detail: error.detail,
          position: at === undefined ? undefined : characters(bytes, at) + 1 - prefix.length,
        },
      };
    }
  }
}

/** PL/pgSQL refuses a name that is both a variable and a column when it runs. */
function ambiguous(
  references: Reference[],
  replaced: Map<Piece, string>,
  lookup: Lookup,
  bytes: Buffer,
  prefixLength: number,
): Problem | undefined {
  for (const reference of references) {
    if (replaced.has(reference) || reference.mayBeOutput || reference.names.length !== 1) continue;
    if (!lookup(reference.names)) continue;
    return {
      message: `column reference "${reference.names[0]}" is ambiguous`,
      sqlState: "42702",
      detail: "It could refer to either a PL/pgSQL variable or a table column.",
      position: characters(bytes, reference.from) + 1 - prefixLength,
    };
  }
  return undefined;
}

/** How many characters stand before this byte. */
function characters(bytes: Buffer, byte: number): number {
  return [...bytes.subarray(0, byte).toString()].length;
}

/** The text with parameters in place of the replaced names, and the way back from a character of it to a byte of the original. */
function written(bytes: Buffer, replaced: Map<Piece, string>) {
  const parts = [...replaced].sort(([a], [b]) => a.from - b.from);
  let text = "";
  let shown = 0;
  const starts: { at: number; byte: number }[] = [];
  const add = (part: string, byte: number) => {
    starts.push({ at: [...text].length, byte });
    text += part;
  };
  for (const [{ from, to }, instead] of parts) {
    add(bytes.subarray(shown, from).toString(), shown);
    add(instead, from);
    shown = to;
  }
  add(bytes.subarray(shown).toString(), shown);
  return {
    text,
    original(character: number): number {
      const start = starts.findLast(({ at }) => at <= character) ?? { at: 0, byte: 0 };
      const before = [...text].slice(start.at, character).join("");
      return start.byte + Buffer.byteLength(before);
    },
  };
}

interface Names {
  references: Reference[];
  parameters: (Piece & { number: number })[];
  /** Tables without a schema. */
  relations: (Piece & { name: string; hasAlias: boolean })[];
  /** Whether names can be columns. */
  hasTables: boolean;
}

/** The names of a parsed statement, with where they stand. */
function namesIn(tree: unknown, bytes: Buffer): Names {
  const names: Names = { references: [], parameters: [], relations: [], hasTables: false };
  const walk = (node: unknown, sorted: boolean): void => {
    if (Array.isArray(node)) {
      for (const one of node) walk(one, sorted);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node as Record<string, unknown>)) {
      // A row that is assigned to several columns stands in the tree once for each.
      if (key === "MultiAssignRef" && (value as { colno?: number }).colno !== 1) continue;
      if (key === "ColumnRef") {
        const { fields, location = 0 } = value as { fields: Field[]; location?: number };
        const parts = fields.flatMap(({ String: one }) => (one ? [one.sval ?? ""] : []));
        names.references.push({
          names: parts,
          hasStar: fields.some(({ A_Star: star }) => star !== undefined),
          from: location,
          to: endOfName(bytes, location, fields.length),
          mayBeOutput: sorted,
        });
      } else if (key === "ParamRef") {
        const { number = 0, location = 0 } = value as { number?: number; location?: number };
        names.parameters.push({ number, from: location, to: location + 1 + String(number).length });
      } else {
        if (key === "RangeVar" || key === "fromClause" || key === "relation") names.hasTables = true;
        if (key === "RangeVar") {
          const { relname = "", schemaname, location = 0, alias } = value as RangeVar;
          if (schemaname === undefined)
            names.relations.push({
              name: relname,
              hasAlias: alias !== undefined,
              from: location,
              to: endOfName(bytes, location, 1),
            });
        }
        walk(
          value,
          key === "sortClause" || key === "groupClause" ? true : key === "SelectStmt" ? false : sorted,
        );
      }
    }
  };
  walk(tree, false);
  return names;
}

interface RangeVar {
  relname?: string;
  schemaname?: string;
  location?: number;
  alias?: unknown;
}

interface Field {
  String?: { sval?: string };
  A_Star?: unknown;
}

/** Where a name of so many parts ends, with blanks and comments between its parts. */
function endOfName(bytes: Buffer, from: number, parts: number): number {
  const text = bytes.subarray(from).toString();
  const part = String.raw`(?:"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\*)`;
  const between = String.raw`\s*\.\s*`;
  const found = new RegExp(`^${part}(?:${between}${part}){${parts - 1}}`).exec(text);
  return from + Buffer.byteLength(found?.[0] ?? "");
}
