/** Owns a request to an endpoint: its fields are parsed here, at the boundary. */

import { isIP } from "node:net";
import type { z } from "zod";
import { isStorable, JsonRefused, parseStorableJson } from "../../core/json.ts";
import { percentDecoded } from "../../core/percent.ts";
import { BodyTooLarge, readBody, type ServiceRequest, type ServiceResponse } from "../../http/exchange.ts";
import { locationValue } from "../../http/header-values.ts";
import { AuthError, badRequest, validationFailed } from "./errors.ts";

const BODY_LIMIT = 1024 * 1024;

/** A request with its parsed query; `fields` reads the body. */
export interface AuthRequest {
  readonly id: string;
  readonly method: string;
  /** Decoded path segments. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: ServiceRequest["headers"];
  readonly authorization: string | undefined;
  readonly foreign: ServiceRequest["foreign"];
  readonly ip: string;
  readonly userAgent: string;
  /** The audience in `X-JWT-AUD`. */
  readonly audience: string | undefined;
  readonly source: ServiceRequest;
  /** The body's members, cached because a body can be read only once. */
  members: Promise<Record<string, unknown>> | undefined;
}

/** @throws AuthError validation_failed for a path or query with text that Postgres cannot store. */
export function readRequest(source: ServiceRequest): AuthRequest {
  const address = source.remoteAddress.replace(/^::ffff:/, "");
  const audience = source.headers["x-jwt-aud"];
  const segments = source.path.split("/").filter(Boolean).map(percentDecoded);
  const query = new URLSearchParams(source.query);
  if (![...segments, ...[...query].flat()].every(isStorable)) throw unstorable();
  return {
    id: source.id,
    method: source.method,
    segments,
    query,
    headers: source.headers,
    authorization: source.authorization,
    foreign: source.foreign,
    ip: isIP(address) ? address : "127.0.0.1",
    userAgent: source.headers["user-agent"] ?? "",
    audience: typeof audience === "string" && audience !== "" ? audience : undefined,
    source,
    members: undefined,
  };
}

/**
 * Reads the JSON body: names are case-insensitive, null counts as absent, unknown names are ignored.
 * @param optional whether an empty body reads as `{}`.
 * @throws AuthError bad_json, request_entity_too_large.
 */
export async function fields<Schema extends z.ZodType>(
  request: AuthRequest,
  schema: Schema,
  optional = false,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await bodyMembers(request, optional));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw badJson(
    `json: cannot unmarshal field ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "wrong type"}`,
  );
}

/** The body's members, names in lower case, without nulls. @throws AuthError as `fields` does. */
export function bodyMembers(request: AuthRequest, optional = false): Promise<Record<string, unknown>> {
  request.members ??= readObject(request, optional);
  return request.members;
}

/** A posted HTML form. @throws AuthError request_entity_too_large */
export async function formFields(request: AuthRequest): Promise<URLSearchParams> {
  const form = new URLSearchParams(await readText(request));
  if (![...form].flat().every(isStorable)) throw unstorable();
  return form;
}

const unstorable = () => validationFailed("The request contains an invalid character (NUL)");

function readText(request: AuthRequest): Promise<string> {
  return readBody(request.source, BODY_LIMIT).then(
    (bytes) => bytes.toString("utf8"),
    (error: unknown) => {
      if (!(error instanceof BodyTooLarge)) throw error;
      throw new AuthError(413, "request_entity_too_large", "Request body too large");
    },
  );
}

async function readObject(request: AuthRequest, optional: boolean): Promise<Record<string, unknown>> {
  const text = await readText(request);
  if (text.trim() === "") {
    if (optional) return {};
    throw badJson("unexpected end of JSON input");
  }
  let value: unknown;
  try {
    value = parseStorableJson(text);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw badJson(error.message);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badJson("json: cannot unmarshal a value that is no object");
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name.toLowerCase(), member]),
  );
}

function badJson(detail: string): AuthError {
  return badRequest("bad_json", `Could not parse request body as JSON: ${detail}`);
}

/** A JSON answer as Auth writes it: no charset in the media type. */
export function json(
  status: number,
  value: unknown,
  headers: Record<string, string | string[]> = {},
): ServiceResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(value) };
}

/** A redirect. */
export function redirect(status: 302 | 303, location: string): ServiceResponse {
  return {
    status,
    headers: { location: locationValue(location), "content-type": "text/html; charset=utf-8" },
    body: "",
  };
}
