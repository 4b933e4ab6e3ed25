/** Owns reading a request's query and JSON body. */
import { isStorable, JsonRefused, parseStorableJson } from "../../core/json.ts";
import { isRecord } from "../../core/record.ts";
import { BodyTooLarge, readBody, type ServiceRequest } from "../../http/exchange.ts";
import { badRequest, StorageError } from "./errors.ts";

const MAX_JSON_BYTES = 1024 * 1024;

/** A JSON object from the body; `emptyAllowed` for routes without required fields. @param limit in bytes. */
export async function jsonBody(
  request: ServiceRequest,
  {
    emptyAllowed = false,
    limit = MAX_JSON_BYTES,
  }: { emptyAllowed?: boolean; limit?: number | undefined } = {},
): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = (await readBody(request, limit)).toString("utf8");
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new StorageError("EntityTooLarge", "Request body is too large", { http: 413 });
    throw error;
  }
  if (request.record) request.record.body = text;
  if (text === "") {
    if (emptyAllowed) return {};
    if (!request.headers["content-type"]?.startsWith("application/json"))
      throw badRequest("body must be object");
    throw badRequest("Body cannot be empty when content-type is set to 'application/json'", "FastifyError");
  }
  let value: unknown;
  try {
    value = parseStorableJson(text);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw badRequest("Body is not valid JSON but content-type is set to 'application/json'", "FastifyError");
  }
  if (!isRecord(value)) throw badRequest("body must be object");
  return value;
}

/** The query's fields; a repeated one is a list, which texts reject. */
export function queryFields(query: string): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    if (!isStorable(value)) throw badRequest(`querystring/${name} must not contain a NUL character`);
    const present = values[name];
    values[name] = present === undefined ? value : [...(Array.isArray(present) ? present : [present]), value];
  }
  return values;
}
