/**
 * Owns checking bodies and queries: a zod schema for each route, with the messages of upstream's validator, Ajv
 * (supabase/storage, src/http/routes).
 */
import { z } from "zod";
import type { ServiceRequest } from "../../http/exchange.ts";
import { badRequest, noVersions } from "./errors.ts";
import { jsonBody, queryFields } from "./query-and-body.ts";

/** @throws InvalidRequest with the first fault. */
export async function checkedBody<Schema extends z.ZodType>(
  request: ServiceRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = await jsonBody(request);
  for (const [name, without] of VERSIONS) if (!without.includes(body[name])) throw noVersions();
  return checked(body, schema, "body");
}

/**
 * What asks for one of several versions of an object, and the values that do not. Unknown members are dropped, but
 * without these another object than the one that is meant would be read, moved or listed.
 */
const VERSIONS: readonly (readonly [name: string, without: readonly unknown[]])[] = [
  ["versionId", [undefined, null]],
  ["sourceVersionId", [undefined, null]],
  ["noncurrentVersions", [undefined, null, "exclude"]],
  ["deleteMarkers", [undefined, null, "exclude"]],
];

/** @throws InvalidRequest with the first fault. */
export function checkedQuery<Schema extends z.ZodType>(
  { query }: ServiceRequest,
  schema: Schema,
): z.infer<Schema> {
  return checked(queryFields(query), schema, "querystring");
}

/** @param where begins the names in errors. @throws InvalidRequest with the first fault, or all of them. */
export function checked<Schema extends z.ZodType>(
  values: Record<string, unknown>,
  schema: Schema,
  where: string,
  all = false,
): z.infer<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => faultOf(issue, values, where));
  // The validator looks for missing members before it looks at the others.
  const sorted = [
    ...faults.filter(({ required }) => required),
    ...faults.filter(({ required }) => !required),
  ];
  throw badRequest((all ? sorted : sorted.slice(0, 1)).map(({ text }) => text).join(", "));
}

/*
 * Values as Ajv converts them with `coerceTypes: "array"`: null is "" as text, 0 as a number and false as a flag,
 * and a single value is a list of one.
 */
const asText = (value: unknown) =>
  value === null ? "" : typeof value === "number" || typeof value === "boolean" ? String(value) : value;
const asNumber = (value: unknown) =>
  value === null || typeof value === "boolean" || (typeof value === "string" && value.trim() !== "")
    ? Number(value)
    : value;
const FLAGS = new Map<unknown, boolean>([
  ["true", true],
  [1, true],
  ["false", false],
  [0, false],
  [null, false],
  ["", false],
]);

export const text = () => z.preprocess(asText, z.string());
export const number = (schema = z.number()) => z.preprocess(asNumber, schema);
export const integer = (minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY) =>
  number(z.number("must be integer").refine(Number.isInteger, "must be integer").min(minimum).max(maximum));
export const flag = () => z.preprocess((value) => FLAGS.get(value) ?? value, z.boolean());
export const texts = (schema = z.array(text())) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), schema);
export const oneOf = <const Choice extends string>(choices: readonly Choice[]) =>
  text().pipe(z.enum(choices));

interface Fault {
  text: string;
  required: boolean;
}

function faultOf(issue: z.core.$ZodIssue, values: unknown, where: string): Fault {
  const last = issue.path.at(-1);
  const at = (path: readonly PropertyKey[]) => [where, ...path].map(String).join("/");
  if (
    issue.code === "invalid_type" &&
    typeof last === "string" &&
    valueAt(values, issue.path) === undefined
  ) {
    return { text: `${at(issue.path.slice(0, -1))} must have required property '${last}'`, required: true };
  }
  return { text: `${at(issue.path)} ${wordsOf(issue)}`, required: false };
}

function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith("must be ")
        ? issue.message
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return `must NOT have fewer than ${issue.minimum} characters`;
      return issue.origin === "array"
        ? `must NOT have fewer than ${issue.minimum} items`
        : `must be >= ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `must NOT have more than ${issue.maximum} characters`;
      return issue.origin === "array"
        ? `must NOT have more than ${issue.maximum} items`
        : `must be <= ${issue.maximum}`;
    case "invalid_format":
      return `must match pattern "${(issue.pattern ?? "").replace(/^\/|\/$/g, "")}"`;
    case "invalid_value":
      return "must be equal to one of the allowed values";
    case "unrecognized_keys":
      return "must NOT have additional properties";
    case "invalid_union":
      return "must match a schema in anyOf";
    default:
      return issue.message;
  }
}

const TYPES: Record<string, string> = { record: "object" };

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inside, key) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, key) : undefined),
    value,
  );
}
