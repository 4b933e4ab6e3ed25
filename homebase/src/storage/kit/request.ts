/** Owns reading a request's path, query and JSON body, with upstream's validation messages. */
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
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badRequest("body must be object");
  return value as Record<string, unknown>;
}

/**
 * Reads fields of a body or query with the messages and conversions of upstream's validator (Ajv with
 * `coerceTypes: "array"`): null is "" as text, 0 as a number, false as a flag, and a list of null as a list.
 */
export class Fields {
  readonly #values: Record<string, unknown>;
  readonly #where: string;

  /** @param where the prefix of names in errors, e.g. `body` or `body/sortBy`. */
  constructor(values: Record<string, unknown>, where: string) {
    this.#values = values;
    this.#where = where;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  raw(name: string): unknown {
    return this.#values[name];
  }

  require(name: string): void {
    if (!this.has(name)) throw badRequest(`${this.#where} must have required property '${name}'`);
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value === "string") return value;
    if (value === null) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw badRequest(`${this.#where}/${name} must be string`);
  }

  requiredText(name: string): string {
    this.require(name);
    return this.text(name) ?? "";
  }

  integer(name: string, minimum?: number, maximum?: number): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const number = asNumber(value);
    if (number === undefined || !Number.isInteger(number)) {
      throw badRequest(`${this.#where}/${name} must be integer`);
    }
    if (minimum !== undefined && number < minimum) {
      throw badRequest(`${this.#where}/${name} must be >= ${minimum}`);
    }
    if (maximum !== undefined && number > maximum) {
      throw badRequest(`${this.#where}/${name} must be <= ${maximum}`);
    }
    return number;
  }

  /** A number from 0 to 1. */
  fraction(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const number = asNumber(value);
    if (number === undefined || Number.isNaN(number)) {
      throw badRequest(`${this.#where}/${name} must be number`);
    }
    if (number < 0) throw badRequest(`${this.#where}/${name} must be >= 0`);
    if (number > 1) throw badRequest(`${this.#where}/${name} must be <= 1`);
    return number;
  }

  flag(name: string): boolean | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (value === true || value === "true" || value === 1) return true;
    if (value === false || value === "false" || value === 0 || value === null || value === "") return false;
    throw badRequest(`${this.#where}/${name} must be boolean`);
  }

  texts(name: string): string[] | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const list = Array.isArray(value) ? value : [value];
    for (const [index, item] of list.entries()) {
      if (typeof item === "object" && item !== null) {
        throw badRequest(`${this.#where}/${name}/${index} must be string`);
      }
    }
    return list.map((item) => (item === null ? "" : String(item)));
  }

  /** A member's own fields; null is not an object. */
  object(name: string): Fields | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (!isRecord(value)) throw badRequest(`${this.#where}/${name} must be object`);
    return new Fields(value, `${this.#where}/${name}`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (!found) throw badRequest(`${this.#where}/${name} must be equal to one of the allowed values`);
    return found;
  }
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value === null || typeof value === "boolean") return Number(value);
  return typeof value === "string" && value.trim() !== "" ? Number(value) : undefined;
}

/** The query's fields; a repeated one is a list, which text fields reject. */
export function queryFields(query: string): Fields {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    if (!isStorable(value)) throw badRequest(`querystring/${name} must not contain a NUL character`);
    const present = values[name];
    values[name] = present === undefined ? value : [...(Array.isArray(present) ? present : [present]), value];
  }
  return new Fields(values, "querystring");
}
