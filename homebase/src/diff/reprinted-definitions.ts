/**
 * Owns definitions that Postgres prints otherwise once it has read its own print of them, so that a copy never has the
 * text of its original, which a comparison of texts takes for a change:
 * - `status IN ('a', 'b')` of a varchar is printed as one cast of the array, and read as one of each element.
 * - A list of VALUES whose columns have other names is printed as a part of the query, and read as a query of its own.
 * - A value without a name in a later part of a UNION has none in print, and is named after its type when that is read.
 */
import type { FactBase } from "@supabase/pg-delta";

type Delta = Pick<typeof import("@supabase/pg-delta"), "FactBase">;
type Payload = FactBase extends { facts(): (infer Fact)[] }
  ? Fact extends { payload: infer One }
    ? One
    : never
  : never;

/** A string, a quoted name, or one more character. */
const LEXEME = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\s\S]/y;
const NAME = `(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_$]*)`;
const SPACED =
  "character varying|double precision|bit varying|(?:timestamp|time)(?:\\(\\d\\))? with(?:out)? time zone";
const TYPE = String.raw`(?:${SPACED}|${NAME}(?:\.${NAME})?)(?:\([\d,]+\))?`;

/** The type after the elements of an array that is cast as a whole. */
const ARRAY_CAST = new RegExp(String.raw`^\]\)::(${TYPE})\[\]`);
const NAMED_CAST = new RegExp(String.raw`::(${TYPE})((?:\[\])*) AS (${NAME})`, "g");

/** How Postgres calls a column of these types by itself. */
const INTERNAL_NAMES: Record<string, string> = {
  "character varying": "varchar",
  character: "bpchar",
  integer: "int4",
  bigint: "int8",
  smallint: "int2",
  boolean: "bool",
  real: "float4",
  "double precision": "float8",
  "bit varying": "varbit",
  "timestamp with time zone": "timestamptz",
  "timestamp without time zone": "timestamp",
  "time with time zone": "timetz",
  "time without time zone": "time",
};

const unquoted = (name: string) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);

function columnNameOf(type: string): string {
  const plain = type.replace(/\([\d,]+\)/, "");
  const last = new RegExp(`${NAME}$`).exec(plain)?.[0] ?? plain;
  return INTERNAL_NAMES[plain] ?? unquoted(last);
}

/** The end of the elements from `start` on and where each begins, up to the bracket that closes them. */
function elements(text: string, start: number): { end: number; parts: string[] } | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; ) {
    LEXEME.lastIndex = at;
    const one = LEXEME.exec(text)?.[0] ?? "";
    if (depth === 0 && (one === "," || one === "]")) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
      if (one === "]") return { end: at, parts };
    }
    if (one === "(" || one === "[") depth += 1;
    if (one === ")" || one === "]") depth -= 1;
    at += one.length;
  }
  return undefined;
}

const ARRAY = "(ARRAY[";
/** The text of a definition as it is after Postgres has read it. */
function readAgain(text: string): string {
  let done = text
    .replaceAll("( VALUES (", "(VALUES (")
    .replace(NAMED_CAST, (all, type: string, dimensions: string, name: string) =>
      columnNameOf(type) === unquoted(name) ? `::${type}${dimensions}` : all,
    );
  for (let at = done.indexOf(ARRAY); at >= 0; at = done.indexOf(ARRAY, at + 1)) {
    const found = elements(done, at + ARRAY.length);
    const [cast, type] = (found && ARRAY_CAST.exec(done.slice(found.end))) ?? [];
    if (!found || cast === undefined) continue;
    const each = found.parts.map((part) => `(${part})::${type}`).join(", ");
    done = `${done.slice(0, at)}ARRAY[${each}]${done.slice(found.end + cast.length)}`;
  }
  return done;
}

/** What people wrote is kept as it is: bodies of functions that Postgres does not read, and comments. */
const asWritten = (text: string) => text.includes("CREATE OR REPLACE") && !text.includes("BEGIN ATOMIC");

function samePayload(own: Payload, other: Payload): Payload {
  const texts = Object.entries(own).flatMap(([key, text]) => {
    const there = (other as Record<string, unknown>)[key];
    if (typeof text !== "string" || typeof there !== "string" || text === there || asWritten(text)) return [];
    return readAgain(text) === readAgain(there) ? [[key, there] as const] : [];
  });
  return texts.length === 0 ? own : { ...own, ...Object.fromEntries(texts) };
}

/** The objects, with the texts of `other` for the definitions that differ in print only. */
export function withSamePrint({ FactBase }: Delta, base: FactBase, other: FactBase): FactBase {
  const facts = base.facts().map((fact) => {
    const there = fact.id.kind === "comment" ? undefined : other.get(fact.id);
    return there ? { ...fact, payload: samePayload(fact.payload, there.payload) } : fact;
  });
  const made = new FactBase(facts, [...base.edges], base.source, base.referenceOnly);
  made.diagnostics.push(...base.diagnostics);
  return made;
}
