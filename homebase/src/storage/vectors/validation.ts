/**
 * Owns checking the bodies of vector buckets' calls: a zod schema for each, with the messages of upstream's validator,
 * which converts nothing (supabase/storage, src/http/routes/vector/validation.ts).
 */
import type { z } from "zod";
import type { ServiceRequest } from "../../http/exchange.ts";
import { badRequest } from "../kit/errors.ts";
import { jsonBody } from "../kit/request.ts";

/** @throws InvalidRequest that lists every fault. */
export async function checkedBody<Schema extends z.ZodType>(
  request: ServiceRequest,
  schema: Schema,
  limit?: number,
): Promise<z.infer<Schema>> {
  const body = await jsonBody(request, { limit });
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => faultOf(issue, body));
  // The validator looks for missing members before it looks at the others.
  const missing = faults.filter(({ required }) => required);
  throw badRequest(
    [...missing, ...faults.filter(({ required }) => !required)].map(({ text }) => text).join(", "),
  );
}

interface Fault {
  text: string;
  required: boolean;
}

function faultOf(issue: z.core.$ZodIssue, body: unknown): Fault {
  const last = String(issue.path.at(-1) ?? "");
  const at = (path: readonly PropertyKey[]) => ["body", ...path].map(String).join("/");
  if (issue.code === "invalid_type" && valueAt(body, issue.path) === undefined) {
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
