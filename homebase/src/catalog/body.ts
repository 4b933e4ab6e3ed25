/**
 * Owns reading a request's body and query: conversions and messages as upstream's validator has them (Fastify's
 * Ajv with `coerceTypes`). An invalid request responds 500, as there.
 */
import { z } from "zod";
import { MetaError } from "./errors.ts";

const NUL = "must not contain the character NUL, which Postgres cannot store";

/** A string; a number or boolean becomes one, and null the empty one. */
export const text = z.preprocess(
  (value) => {
    if (value === null) return "";
    return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  },
  z.string().refine((value) => !value.includes("\0"), NUL),
);

/** A boolean, also as text. */
export const flag = z.preprocess((value) => {
  if (value === null || value === "false" || value === 0) return false;
  return value === "true" || value === 1 ? true : value;
}, z.boolean());

/** An integer, also as text. */
export const integer = z.preprocess((value) => {
  if (value === null || value === false) return 0;
  if (value === true) return 1;
  return typeof value === "string" && /^-?\d+$/.test(value.trim()) ? Number(value) : value;
}, z.int());

/** Any JSON value without NUL. */
export const anything = z.unknown().refine((value) => !hasNul(value), NUL);

/** Names and values as text. */
export const settings = z.record(text, text);

/** Parses a body or a query. @param where `body` or `querystring`, for the message. @throws MetaError 500 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where = "body",
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new MetaError(500, issue ? messageOf(issue, value, where) : `${where} is invalid`);
}

/** The validator's names for zod's; every number is an integer. */
const TYPES: Record<string, string> = { int: "integer", number: "integer", record: "object" };

function messageOf(issue: z.core.$ZodIssue, value: unknown, where: string): string {
  const path = [where, ...issue.path.map(String)];
  const last = issue.path.at(-1);
  const parent = issue.path.slice(0, -1).reduce<unknown>(memberOf, value);
  if (last !== undefined && memberOf(parent, last) === undefined) {
    return `${path.slice(0, -1).join("/")} must have required property '${String(last)}'`;
  }
  const at = path.join("/");
  if (issue.code === "invalid_type") return `${at} must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") {
    const each = issue.values.map(() => `${at} must be equal to constant`);
    return [...each, `${at} must match a schema in anyOf`].join(", ");
  }
  if (issue.code === "custom") return `${at} ${issue.message}`;
  return `${at} is invalid: ${issue.message}`;
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<PropertyKey, unknown>)[name]
    : undefined;
}

/** Without recursion, because a body may be nested more deeply than the stack allows. */
function hasNul(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const one = pending.pop();
    if (typeof one === "string" && one.includes("\0")) return true;
    if (typeof one === "object" && one !== null) {
      for (const [name, member] of Object.entries(one)) pending.push(name, member);
    }
  }
  return false;
}
