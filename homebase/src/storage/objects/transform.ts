/**
 * Owns the options of an image transformation (docs/compat/storage.md 1.8): parsing, and formatting for URLs
 * and headers.
 */
import { z } from "zod";
import { badRequest } from "../kit/errors.ts";
import { checked, integer, number, oneOf } from "../kit/route-schemas.ts";

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
  quality?: number;
  format?: (typeof FORMATS)[number] | undefined;
  gravity?: (typeof GRAVITIES)[number] | undefined;
  /** From the sides that `gravity` names or the middle; below 1 a share of the image's side, else pixels. The point of `fp`. */
  offset?: Offset | undefined;
}

export interface Offset {
  x: number;
  y: number;
}

/** A side of 0 is none: it follows from the other (supabase/storage, storage/renderer/image.ts). */
const side = integer(0)
  .transform((pixels) => (pixels === 0 ? undefined : Math.min(pixels, MAX_SIDE)))
  .optional();
const offset = () => number().optional();
const fraction = () => number(z.number().min(0).max(1)).optional();

const OFFSET = z.object({ x_offset: offset(), y_offset: offset() });
const FOCUS = z.object({ x_offset: fraction(), y_offset: fraction() });

/** The options in a query, a body's `transform` or a token. */
export const TRANSFORM = z.looseObject({
  width: side,
  height: side,
  resize: oneOf(RESIZES).optional(),
  quality: integer(20, 100).optional(),
  format: oneOf(FORMATS).optional(),
  gravity: oneOf(GRAVITIES).optional(),
});

/** @param where begins the names in errors. @throws InvalidRequest */
export function readTransform(
  { width, height, resize, quality, format, gravity, ...others }: z.infer<typeof TRANSFORM>,
  where: string,
): Transform {
  const transform = { width, height, resize, quality, format, gravity };
  const { x_offset: x, y_offset: y } = checked(others, gravity === "fp" ? FOCUS : OFFSET, where);
  if (gravity === "fp" && (x === undefined || y === undefined))
    throw badRequest("gravity fp needs x_offset and y_offset");
  if (gravity === undefined || (x === undefined && y === undefined)) return transform;
  return { ...transform, offset: { x: x ?? 0, y: y ?? 0 } };
}

/** Whether the options change anything; `resize` alone does not. */
export function hasEffect({ width, height, quality, format }: Transform): boolean {
  return [width, height, quality, format].some((option) => option !== undefined);
}

/** The format in signed URLs. */
export function writeTransform(transform: Transform): string {
  const { height, width, resize, quality, format, gravity, offset } = transform;
  return [
    ...(height === undefined ? [] : [`height:${height}`]),
    ...(width === undefined ? [] : [`width:${width}`]),
    `resize:${resize}`,
    ...(quality === undefined ? [] : [`quality:${quality}`]),
    ...(format === undefined ? [] : [`format:${format}`]),
    ...(gravity === undefined ? [] : [`gravity:${gravity}`]),
    ...(offset === undefined ? [] : [`x_offset:${offset.x}`, `y_offset:${offset.y}`]),
  ].join(",");
}

/** The inverse of `writeTransform`. */
export function parseTransform(text: string): Transform {
  const pairs = text
    .split(",")
    .map((part) => part.split(":", 2))
    .filter(([, value]) => value !== undefined && value !== "undefined");
  const where = "transformations";
  return readTransform(checked(Object.fromEntries(pairs), TRANSFORM, where), where);
}

/** The format of the header `X-Transformations`; also the cache key of a rendering. */
export function describeTransform(transform: Transform): string {
  const { height, width, quality, format, gravity, offset } = transform;
  const sized = height !== undefined || width !== undefined;
  return [
    ...(height === undefined ? [] : [`height:${height}`]),
    ...(width === undefined ? [] : [`width:${width}`]),
    ...(sized ? [`resizing_type:${RESIZING_TYPES[transform.resize ?? "cover"]}`] : []),
    ...(quality === undefined ? [] : [`quality:${quality}`]),
    ...(format === undefined || format === "origin" ? [] : [`format:${format}`]),
    ...(gravity === undefined ? [] : [`gravity:${gravity}${offset ? `:${offset.x}:${offset.y}` : ""}`]),
  ].join(",");
}
