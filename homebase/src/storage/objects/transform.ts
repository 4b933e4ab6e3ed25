/**
 * Owns the options of an image transformation (docs/compat/storage.md 1.8): parsing, and formatting for URLs
 * and headers.
 */
import { badRequest } from "../kit/errors.ts";
import { Fields } from "../kit/request.ts";

const RESIZES = ["cover", "contain", "fill"] as const;
const FORMATS = ["origin", "avif", "webp"] as const;
const GRAVITIES = ["no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp"] as const;
/** Upstream's renderer's names of the three modes. */
const RESIZING_TYPES = { cover: "fill", contain: "fit", fill: "force" } as const;
const MAX_SIDE = 2_000;

export interface Transform {
  /** Pixels, 1 to 2000. */
  width?: number | undefined;
  height?: number | undefined;
  resize?: (typeof RESIZES)[number] | undefined;
  quality?: number | undefined;
  format?: (typeof FORMATS)[number] | undefined;
  gravity?: (typeof GRAVITIES)[number] | undefined;
  /** The focal point of `fp`, as fractions of the image's sides. */
  focus?: { x: number; y: number } | undefined;
}

/** Parses options from a query, a body's `transform` or a token. */
export function readTransform(fields: Fields): Transform {
  const side = (name: string) => {
    const pixels = fields.integer(name, 0);
    return pixels === undefined ? undefined : Math.min(Math.max(pixels, 1), MAX_SIDE);
  };
  const transform: Transform = {
    width: side("width"),
    height: side("height"),
    resize: fields.oneOf("resize", RESIZES),
    quality: fields.integer("quality", 20, 100),
    format: fields.oneOf("format", FORMATS),
    gravity: fields.oneOf("gravity", GRAVITIES),
  };
  if (transform.gravity === "fp") {
    const [x, y] = [fields.fraction("x_offset"), fields.fraction("y_offset")];
    if (x === undefined || y === undefined) throw badRequest("gravity fp needs x_offset and y_offset");
    transform.focus = { x, y };
  }
  return transform;
}

/** Whether the options change anything; `resize` alone does not. */
export function hasEffect({ width, height, quality, format }: Transform): boolean {
  return [width, height, quality, format].some((option) => option !== undefined);
}

/** The format in signed URLs. */
export function writeTransform(transform: Transform): string {
  const { height, width, resize, quality, format, gravity, focus } = transform;
  return [
    ...(height === undefined ? [] : [`height:${height}`]),
    ...(width === undefined ? [] : [`width:${width}`]),
    `resize:${resize}`,
    ...(quality === undefined ? [] : [`quality:${quality}`]),
    ...(format === undefined ? [] : [`format:${format}`]),
    ...(gravity === undefined ? [] : [`gravity:${gravity}`]),
    ...(focus === undefined ? [] : [`x_offset:${focus.x}`, `y_offset:${focus.y}`]),
  ].join(",");
}

/** The inverse of `writeTransform`. */
export function parseTransform(text: string): Transform {
  const pairs = text
    .split(",")
    .map((part) => part.split(":", 2))
    .filter(([, value]) => value !== undefined && value !== "undefined");
  return readTransform(new Fields(Object.fromEntries(pairs), "transformations"));
}

/** The format of the header `X-Transformations`; also the cache key of a rendering. */
export function describeTransform(transform: Transform): string {
  const { height, width, quality, format, gravity, focus } = transform;
  const sized = height !== undefined || width !== undefined;
  return [
    ...(height === undefined ? [] : [`height:${height}`]),
    ...(width === undefined ? [] : [`width:${width}`]),
    ...(sized ? [`resizing_type:${RESIZING_TYPES[transform.resize ?? "cover"]}`] : []),
    ...(quality === undefined ? [] : [`quality:${quality}`]),
    ...(format === undefined || format === "origin" ? [] : [`format:${format}`]),
    ...(gravity === undefined ? [] : [`gravity:${gravity}${focus ? `:${focus.x}:${focus.y}` : ""}`]),
  ].join(",");
}
