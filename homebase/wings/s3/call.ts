/** Owns the input and output types of an S3 operation, and parsing its query. */
import type { ServiceBody, ServiceRequest } from "../../src/http/exchange.ts";
import type { RequestContext } from "../../src/storage/dependencies.ts";
import { StorageError } from "../../src/storage/kit/errors.ts";
import type { Signed } from "./credentials.ts";
import type { XmlValue } from "./xml.ts";

/** A request with a verified signature and a known operation. */
export interface S3Call {
  request: ServiceRequest;
  query: ReadonlyMap<string, string>;
  signed: Signed;
  context: RequestContext;
  /** "" when the path has none. */
  bucket: string;
  key: string;
}

export interface S3Answer {
  /** Defaults to 200. */
  status?: number;
  /** Headers with an empty value are omitted. */
  headers?: Record<string, string>;
  body?: ServiceBody;
  /** A document, by its root element. */
  xml?: { root: string; value: XmlValue };
}

export type S3Operation = (call: S3Call) => Promise<S3Answer>;

/** A header's value; repeated ones joined. */
export function header({ request }: S3Call, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

export const invalidRequest = (message: string) => new StorageError("InvalidRequest", message);

/** An integer in the query. @throws InvalidRequest, worded as upstream's validator. */
export function wholeNumber(
  { query }: S3Call,
  name: string,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value))
    throw invalidRequest(`Querystring, ${name} must be number`);
  if (value < least) throw invalidRequest(`Querystring, ${name} must be >= ${least}`);
  if (value > most) throw invalidRequest(`Querystring, ${name} must be <= ${most}`);
  return value;
}

/** Whether names in lists are percent-encoded. @throws InvalidRequest */
export function encodingType({ query }: S3Call): "url" | undefined {
  const type = query.get("encoding-type");
  if (type === undefined || type === "url") return type;
  throw invalidRequest("Querystring, encoding-type must be equal to one of the allowed values");
}

/** `x-amz-meta-*` from headers or form fields; null when there are none. */
export function userMetadata(
  values: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> | null {
  const prefix = "x-amz-meta-";
  const found = Object.entries(values).flatMap(([name, value]) =>
    name.startsWith(prefix) && typeof value === "string" ? [[name.slice(prefix.length), value] as const] : [],
  );
  return found.length === 0 ? null : Object.fromEntries(found);
}
