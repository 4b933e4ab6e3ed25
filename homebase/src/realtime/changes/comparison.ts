/**
 * Owns evaluating a filter on a value. Comparisons with the same result as in Postgres are made here
 * (equality of text, uuid and booleans, order of integers); all others are left to Postgres, because they
 * depend on its collations, casts and regular expressions.
 */
import { isUuid } from "../../core/uuid.ts";
import type { ColumnType } from "./replication/relation.ts";
import type { Filter } from "./subscription-filter.ts";

const INTEGERS = new Set([20, 21, 23]);
const TEXTS = new Set([25, 1043, 19]);
const UUID = 2950;
const BOOLEAN = 16;

/** True or false, or undefined when only Postgres can tell. */
export function matchesFilter(filter: Filter, value: string | null, type: ColumnType): boolean | undefined {
  if (filter.operator === "is" && filter.value === "null") return (value === null) !== filter.negate;
  if (filter.operator === "is" || filter.operator === "isdistinct") return undefined;
  // A comparison with null is never true, negated or not.
  if (value === null) return false;
  const result = compare(filter, value, type);
  return result === undefined ? undefined : result !== filter.negate;
}

function compare(filter: Filter, value: string, type: ColumnType): boolean | undefined {
  const canonical = canonicalOf(type.oid);
  if (!canonical) return undefined;
  const left = canonical(value);
  if (left === undefined) return undefined;
  if (filter.operator === "in") {
    const values = (filter.list ?? []).map(canonical);
    return values.includes(undefined) ? undefined : values.includes(left);
  }
  const right = canonical(filter.value);
  if (right === undefined) return undefined;
  if (filter.operator === "eq") return left === right;
  if (filter.operator === "neq") return left !== right;
  if (typeof left !== "bigint" || typeof right !== "bigint") return undefined;
  switch (filter.operator) {
    case "lt":
      return left < right;
    case "lte":
      return left <= right;
    case "gt":
      return left > right;
    case "gte":
      return left >= right;
    default:
      return undefined;
  }
}

type Canonical = (text: string) => string | bigint | undefined;

function canonicalOf(oid: number): Canonical | undefined {
  if (INTEGERS.has(oid))
    return (text) => (/^\s*[+-]?\d+\s*$/.test(text) ? BigInt(text.trim().replace(/^\+/, "")) : undefined);
  if (TEXTS.has(oid)) return (text) => text;
  if (oid === UUID) {
    return (text) => (isUuid(text) ? text.toLowerCase() : undefined);
  }
  if (oid !== BOOLEAN) return undefined;
  return (text) => {
    const word = text.trim().toLowerCase();
    if (["t", "true", "1", "yes", "on"].includes(word)) return "t";
    return ["f", "false", "0", "no", "off"].includes(word) ? "f" : undefined;
  };
}
