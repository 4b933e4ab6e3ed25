/**
 * Owns media types: parsing `Accept`, and choosing the response's type (PostgREST documentation, "Media Type
 * Handlers"; RFC 9110 12.5.1).
 */
import { restErrors } from "../errors.ts";
import type { MediaHandler } from "../schema/schema-cache.ts";

export interface AcceptedType {
  /** Lower case, without parameters. */
  type: string;
  parameters: Record<string, string>;
  /** In PostgREST's notation: without weight, blanks and ignored parameters. */
  text: string;
}

/** The shape of the body. */
export type Representation =
  | { kind: "json"; contentType: string; strip: boolean }
  | { kind: "object"; contentType: string; strip: boolean }
  | { kind: "csv"; contentType: string }
  | { kind: "geojson"; contentType: string }
  | { kind: "plan"; contentType: string; format: "text" | "json"; options: string[]; of: Representation }
  /** Produced by the database's own aggregate or function. */
  | { kind: "custom"; contentType: string; handler: MediaHandler };

const JSON_TYPE: Representation = {
  kind: "json",
  contentType: "application/json; charset=utf-8",
  strip: false,
};

/**
 * Parses an `Accept` header: ordered by weight, then more parameters and fewer wildcards first. Blanks are
 * ignored, and parameters after the weight are dropped.
 */
export function parseAccept(header: string | undefined): AcceptedType[] {
  if (header === undefined || header === "*/*") return [anything];
  const types = header.split(",").map((part) => {
    const bare = part.replaceAll(" ", "");
    const weight = bare.indexOf(";q=");
    const text = weight < 0 ? bare : bare.slice(0, weight);
    const quality = weight < 0 ? 1 : Number.parseFloat(bare.slice(weight + 3)) || 0;
    const rank = text.split(";").length - text.split("*").length;
    return { ...parseMediaType(text), quality, rank };
  });
  return types.sort((a, b) => b.quality - a.quality || b.rank - a.rank);
}

/** One media type, without blanks. */
function parseMediaType(text: string): AcceptedType {
  const [type = "", ...rest] = text.split(";");
  const parameters: Record<string, string> = {};
  for (const piece of rest) {
    const equals = piece.indexOf("=");
    if (equals < 0) continue;
    parameters[piece.slice(0, equals).toLowerCase()] = piece.slice(equals + 1).replace(/^"+|"+$/g, "");
  }
  const accepted = { type: type.toLowerCase(), parameters };
  return { ...accepted, text: canonical(accepted) ?? text };
}

/** PostgREST's spelling of the types that it knows; undefined for others, which it repeats unchanged. */
function canonical({ type, parameters }: Pick<AcceptedType, "type" | "parameters">): string | undefined {
  const suffix = parameters.nulls === "stripped" ? ";nulls=stripped" : "";
  switch (type) {
    case "application/vnd.pgrst.array":
    case "application/vnd.pgrst.array+json":
      return suffix ? `application/vnd.pgrst.array+json${suffix}` : "application/json";
    case "application/vnd.pgrst.object":
    case "application/vnd.pgrst.object+json":
      return `application/vnd.pgrst.object+json${suffix}`;
    case "application/vnd.pgrst.plan":
    case "application/vnd.pgrst.plan+text":
    case "application/vnd.pgrst.plan+json": {
      const format = type.endsWith("+json") ? "json" : "text";
      const options = planOptions(parameters);
      const tail = options.length > 0 ? `; options=${options.join("|")}` : "";
      return `application/vnd.pgrst.plan+${format}; for="${planTarget(parameters).text}"${tail}`;
    }
    default:
      return KNOWN.has(type) ? type : undefined;
  }
}

const KNOWN = new Set([
  "*/*",
  "application/json",
  "application/geo+json",
  "text/csv",
  "text/plain",
  "text/xml",
  "application/openapi+json",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
]);

const anything: AcceptedType = { type: "*/*", parameters: {}, text: "*/*" };

export interface Offer {
  plan: boolean;
  /** Finds the database's handler for a media type (lower case); undefined when it has none. */
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

const ROOT_TYPES = new Set(["application/openapi+json", "application/json", "*/*"]);

/** The root has one description, whichever of its types is accepted. @throws RestError PGRST107. */
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

function planOptions(parameters: AcceptedType["parameters"]): string[] {
  const asked = parameters.options?.split("|") ?? [];
  return PLAN_OPTIONS.filter((one) => asked.includes(one));
}

function planTarget(parameters: AcceptedType["parameters"]): AcceptedType {
  return parseMediaType(parameters.for ?? "application/json");
}

function representPlan(accepted: AcceptedType, offer: Offer): Representation | undefined {
  const of = represent(planTarget(accepted.parameters), { ...offer, plan: false });
  if (!of) return undefined;
  return {
    kind: "plan",
    contentType: `${accepted.text}; charset=utf-8`,
    format: accepted.type.endsWith("+json") ? "json" : "text",
    options: planOptions(accepted.parameters),
    of,
  };
}
