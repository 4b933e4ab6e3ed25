/** Owns the metadata that a client sends with an object. */
import { parseStorableJson } from "../../core/json.ts";
import { recordOf } from "../../core/record.ts";

/** `x-metadata`: base64 of a JSON object. Values that cannot be decoded are ignored. */
export function decodeMetadata(header: string | string[] | undefined): Record<string, unknown> {
  const text = Array.isArray(header) ? header[0] : header;
  return text ? parseMetadata(Buffer.from(text, "base64").toString("utf8")) : {};
}

export function parseMetadata(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    return recordOf(parseStorableJson(text));
  } catch {
    return {};
  }
}
