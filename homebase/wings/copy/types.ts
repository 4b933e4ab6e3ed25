/** Owns masking a value by its type: arrays, rows, ranges and domains down to the types that they are made of. */
import { type Item, readArray, readRow, writeArray, writeRow } from "./literals.ts";
import { kindOf, type Mask } from "./mask.ts";

/** A type of `pg_type`, as far as its text depends on it. */
export interface Type {
  oid: string;
  /** With its schema, unless it is Postgres's own. */
  name: string;
  /** `pg_type.typtype`. */
  kind: "b" | "c" | "d" | "e" | "r" | "m" | "p";
  /** Of an array: the elements' type, and what stands between them. */
  element: string | null;
  delimiter: string;
  /** Of a domain, a range or a multirange: the type beneath. */
  base: string | null;
  labels: string[];
  fields: { name: string; type: string }[];
}

export type Types = ReadonlyMap<string, Type>;

/** The column that a value is of. */
export interface Place {
  /** Values of one place are masked alike, and those of columns that refer to it. */
  id: string;
  name: string;
  length?: number | undefined;
  /** Names of JSON members that are no data. */
  members: ReadonlySet<string>;
}

/** The text of a type is not known, so another value of it cannot be made. */
export class UnknownType extends Error {}

const DIGITS: Record<string, number> = { int2: 5, int4: 10, int8: 19, oid: 10, xid8: 19, money: 18 };
const NUMBERS = new Set([
  ...Object.keys(DIGITS),
  "numeric",
  "float4",
  "float8",
  "tid",
  "pg_lsn",
  "cid",
  "xid",
]);
const DIMENSIONS = new Set([
  "point",
  "line",
  "lseg",
  "box",
  "path",
  "polygon",
  "circle",
  "vector",
  "halfvec",
  "cube",
]);
const TEXTS = new Set(["text", "varchar", "bpchar", "citext", "name", "char"]);
/** They name what is in a database, not who uses it. */
const CATALOGUE = /^reg(class|type|proc|procedure|oper|operator|role|namespace|config|dictionary|collation)$/;

/** Another value of a type. @param attempt another number gives another value. @throws UnknownType */
export function maskOf(
  mask: Mask,
  types: Types,
  oid: string,
  value: string,
  place: Place,
  attempt = 0,
): string {
  const type = types.get(oid);
  if (!type) throw new UnknownType(`type ${oid}`);
  const within = (inner: string, text: string, name = place.name, length?: number) =>
    maskOf(mask, types, inner, text, { ...place, id: `${place.id}/${inner}`, name, length }, attempt);
  if (type.element !== null) {
    const element = type.element;
    const each = (item: Item): Item =>
      Array.isArray(item)
        ? item.map(each)
        : item === null
          ? null
          : within(element, item, place.name, place.length);
    const bounds = /^\[[\d:[\]-]+=(?=\{)/.exec(value)?.[0] ?? "";
    return bounds + writeArray(readArray(value, type.delimiter).map(each), type.delimiter);
  }
  switch (type.kind) {
    case "e": {
      const at = type.labels.indexOf(value);
      return mask.permuted(`${place.id}${attempt}`, type.labels)[at] ?? value;
    }
    case "d":
      return maskOf(mask, types, type.base ?? "", value, place, attempt);
    case "c": {
      const fields = readRow(value);
      return writeRow(
        type.fields.map((field, at) => {
          const text = fields[at] ?? null;
          return text === null ? null : within(field.type, text, field.name);
        }),
      );
    }
    case "r":
      return rangeOf(type, value, (text) => within(type.base ?? "", text));
    case "m": {
      const first = /[[(][^\])]*[\])]/.exec(value)?.[0];
      return first === undefined ? value : `{${within(type.base ?? "", first)}}`;
    }
    default:
      return baseOf(mask, type.name, value, place, attempt);
  }
}

const SECOND_BOUND: [RegExp, (low: string) => string][] = [
  [
    /^\d{4}-\d\d-\d\d/,
    (low) => low.replace(/^(\d{4})-\d\d-\d\d/, (_, year: string) => `${Number(year) + 1}-12-31`),
  ],
  [/^-?\d+(\.\d+)?$/, (low) => low.replace(/^-?\d+/, (whole) => String(BigInt(whole) + 7n))],
];

/** A range that begins elsewhere; a bound that is open stays so. */
function rangeOf({ name }: Type, value: string, other: (bound: string) => string): string {
  const parts = /^([[(])(?:"((?:[^"\\]|\\.)*)"|([^,"]*)),(?:"((?:[^"\\]|\\.)*)"|([^,"]*))([\])])$/.exec(
    value,
  );
  if (!parts) return value;
  const [, open, quotedLow, plainLow, quotedHigh, plainHigh, close] = parts;
  const low = quotedLow ?? plainLow ?? "";
  const high = quotedHigh ?? plainHigh ?? "";
  if (low === "" && high === "") return value;
  const begin = other(low || high);
  const after = SECOND_BOUND.find(([pattern]) => pattern.test(begin))?.[1];
  if (!after) throw new UnknownType(`a range of ${name}`);
  return `${open}${low === "" ? "" : `"${begin}"`},${high === "" ? "" : `"${low === "" ? begin : after(begin)}"`}${close}`;
}

function baseOf(
  mask: Mask,
  name: string,
  value: string,
  { id, name: column, length, members }: Place,
  attempt: number,
): string {
  if (TEXTS.has(name) || name.endsWith(".citext"))
    return mask.text(value, kindOf(column), attempt, name === "char" ? 1 : length);
  const own = name.includes(".") ? name.slice(name.indexOf(".") + 1) : name;
  // NaN and Infinity have no digits, and say nothing.
  if (NUMBERS.has(own)) return mask.digits(value, attempt, DIGITS[own]);
  if (DIMENSIONS.has(own)) return mask.digits(value, attempt);
  if (CATALOGUE.test(own)) return value;
  switch (own) {
    case "bool": {
      const [first = "t"] = mask.permuted(id, ["t", "f"]);
      return value === "true" || value === "t" ? first : first === "t" ? "f" : "t";
    }
    case "uuid":
      return kindOf(column) !== "token" && mask.keys.has(value) ? value : mask.uuid(value, attempt);
    case "json":
    case "jsonb":
      return mask.json(value, members, attempt);
    case "date":
      return /infinity/.test(value) ? value : mask.date(value, attempt);
    case "timestamp":
    case "timestamptz":
      return /infinity/.test(value)
        ? value
        : `${mask.date(value, attempt)} ${mask.time(value, attempt)}${own === "timestamptz" ? "+00" : ""}`;
    case "time":
      return mask.time(value, attempt);
    case "timetz":
      return `${mask.time(value, attempt)}+00`;
    case "interval":
      return `${1 + (mask.hash(`days${attempt}`, value)[0] ?? 0)} days ${mask.time(value, attempt)}`;
    case "bytea":
      return mask.bytea(value, attempt);
    case "bit":
    case "varbit":
      return mask.bits(value, attempt);
    case "inet":
    case "cidr": {
      const [a = 0, b = 0, c = 0] = mask.hash(`ip${attempt}`, value);
      return `10.${a}.${b}.${c}`;
    }
    case "macaddr":
    case "macaddr8": {
      const hex = mask.hash(`mac${attempt}`, value).toString("hex");
      return `02${hex.slice(0, own === "macaddr" ? 10 : 14)}`;
    }
    case "xml":
      return `<masked>${mask.hash(`xml${attempt}`, value).toString("hex").slice(0, 16)}</masked>`;
    case "tsvector":
    case "tsquery":
      return value.replace(/'(?:[^'\\]|''|\\.)*'/g, (word) => `'${mask.text(word, "text", attempt)}'`);
    case "hstore":
      return value.replace(
        /"((?:[^"\\]|\\.)*)"/g,
        (_, word: string) => `"${mask.text(word, "text", attempt)}"`,
      );
    case "ltree":
      return value.replace(/[^.]+/g, (part) =>
        mask.hash(`ltree${attempt}`, part).toString("hex").slice(0, 12),
      );
    case "geometry":
    case "geography": {
      const [a = 0, b = 0] = mask.hash(`place${attempt}`, value);
      return `SRID=4326;POINT(${a / 256} ${b / 256})`;
    }
    default:
      throw new UnknownType(`type ${name}`);
  }
}
