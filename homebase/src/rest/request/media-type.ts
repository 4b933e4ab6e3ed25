/**
 * Owns media types: reading `Accept`, and choosing what to answer with (PostgREST documentation, "Media
 * Type Handlers"; RFC 9110 12.5.1).
 */
import { restErrors } from "../errors.ts";
import type { MediaHandler } from "../schema/schema.ts";

export interface AcceptedType {
  /** Lower case, without parameters. */
  type: string;
  parameters: Record<string, string>;
  quality: number;
  /** As the client wrote it, without the weight. */
  text: string;
}

/** What shape the body takes. */
export type Representation =
  | { kind: "json"; contentType: string; strip: boolean }
  | { kind: "object"; contentType: string; strip: boolean }
  | { kind: "csv"; contentType: string }
  | { kind: "geojson"; contentType: string }
  | { kind: "plan"; contentType: string; format: "text" | "json"; options: string[]; of: Representation }
  /** Made by the database's own aggregate or function. */
  | { kind: "custom"; contentType: string; handler: MediaHandler };

const JSON_TYPE: Representation = {
  kind: "json",
  contentType: "application/json; charset=utf-8",
  strip: false,
};

/** Reads an `Accept` header into types, the preferred ones first. */
export function parseAccept(header: string | undefined): AcceptedType[] {
  if (header === undefined || header.trim() === "" || header === "*/*") return [anything];
  const types = splitOutsideQuotes(header, ",").flatMap((part) => {
    const [type = "", ...rest] = splitOutsideQuotes(part, ";").map((piece) => piece.trim());
    if (type === "") return [];
    const parameters: Record<string, string> = {};
    let quality = 1;
    for (const piece of rest) {
      const equals = piece.indexOf("=");
      if (equals < 0) continue;
      const name = piece.slice(0, equals).trim().toLowerCase();
      const value = piece
        .slice(equals + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1");
      if (name === "q") quality = Number(value) || 0;
      else if (name !== "charset") parameters[name] = value;
    }
    return [{ type: type.toLowerCase(), parameters, quality, text: part.trim() }];
  });
  const rank = (one: AcceptedType) =>
    Object.keys(one.parameters).length - (one.type === "*/*" ? 2 : one.type.endsWith("/*") ? 1 : 0) * 10;
  return types.sort((a, b) => b.quality - a.quality || rank(b) - rank(a));
}

const anything: AcceptedType = { type: "*/*", parameters: {}, quality: 1, text: "*/*" };

export interface Offer {
  plan: boolean;
  /** The database's own way to make a media type (lower case) of this result; undefined: it has none. */
  handler?: ((type: string) => MediaHandler | undefined) | undefined;
}

/**
 * The first acceptable type that can be produced.
 * @throws RestError PGRST107.
 */
export function negotiate(accepted: readonly AcceptedType[], offer: Offer): Representation {
  for (const one of accepted) {
    const found = represent(one, offer);
    if (found) return found;
  }
  throw restErrors.notAcceptable(accepted.map((one) => one.text));
}

const ROOT_TYPES = new Set(["application/openapi+json", "application/json", "application/*", "*/*"]);

/**
 * The root has one description, whichever of its types is asked for.
 * @throws RestError PGRST107.
 */
export function negotiateRoot(accepted: readonly AcceptedType[]): void {
  if (!accepted.some((one) => ROOT_TYPES.has(one.type))) {
    throw restErrors.notAcceptable(accepted.map((one) => one.text));
  }
}

function represent(accepted: AcceptedType, offer: Offer): Representation | undefined {
  const strip = accepted.parameters.nulls === "stripped";
  const suffix = strip ? ";nulls=stripped" : "";
  if (offer.handler && !accepted.type.startsWith("application/vnd.pgrst.")) {
    const handler = offer.handler(accepted.type);
    if (handler) return { kind: "custom", contentType: handler.contentType, handler };
  }
  switch (accepted.type) {
    case "*/*":
    case "application/*":
    case "application/json":
      return JSON_TYPE;
    case "application/vnd.pgrst.array":
    case "application/vnd.pgrst.array+json":
      if (!strip) return JSON_TYPE;
      return { kind: "json", strip, contentType: `application/vnd.pgrst.array+json${suffix}; charset=utf-8` };
    case "application/vnd.pgrst.object":
    case "application/vnd.pgrst.object+json":
      return {
        kind: "object",
        strip,
        contentType: `application/vnd.pgrst.object+json${suffix}; charset=utf-8`,
      };
    case "text/csv":
      return { kind: "csv", contentType: "text/csv; charset=utf-8" };
    case "application/geo+json":
      return { kind: "geojson", contentType: "application/geo+json; charset=utf-8" };
    case "application/vnd.pgrst.plan":
    case "application/vnd.pgrst.plan+text":
    case "application/vnd.pgrst.plan+json":
      return offer.plan ? representPlan(accepted, offer) : undefined;
    default:
      return undefined;
  }
}

const PLAN_OPTIONS = ["analyze", "verbose", "settings", "buffers", "wal"];

function representPlan(accepted: AcceptedType, offer: Offer): Representation | undefined {
  const format = accepted.type.endsWith("+json") ? "json" : "text";
  const options = PLAN_OPTIONS.filter((one) => accepted.parameters.options?.split("|").includes(one));
  const target = accepted.parameters.for ?? "application/json";
  const of = represent(parseAccept(target)[0] ?? anything, { ...offer, plan: false });
  if (!of) return undefined;
  const tail = options.length > 0 ? `; options=${options.join("|")}` : "";
  const contentType = `application/vnd.pgrst.plan+${format}; for="${target}"${tail}; charset=utf-8`;
  return { kind: "plan", contentType, format, options, of };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    else if (text[at] === separator && !quoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}
