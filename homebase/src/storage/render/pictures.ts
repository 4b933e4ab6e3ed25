/**
 * Owns turning a file's picture into another (docs/compat/storage.md 1.8). It runs in a process of its own
 * (renderer.ts), because a picture of a few hundred bytes can keep the library busy for hours.
 */
import type { Sharp } from "sharp";
import type { Transform } from "../objects/transform.ts";

/** Limits of the renderer in upstream's local stack. */
const MAX_PIXELS = 50_000_000;
const MAX_FRAMES = 60;
/** As upstream's renderer, accepts images with wrong checksums or a missing end. */
const LIMITS = { limitInputPixels: MAX_PIXELS, failOn: "none" } as const;
const QUALITY: Record<string, number> = { jpeg: 80, webp: 80, avif: 62 };

const POSITIONS = {
  no: "top",
  so: "bottom",
  ea: "right",
  we: "left",
  noea: "right top",
  nowe: "left top",
  soea: "right bottom",
  sowe: "left bottom",
  ce: "centre",
  sm: "attention",
} as const;

export const OUTPUTS = ["jpeg", "png", "webp", "gif", "avif"] as const;
export type Output = (typeof OUTPUTS)[number];

/** The message to the process: the file's path, and the format that was asked for. */
export interface Job {
  source: string;
  transform: Transform;
  output: Output | undefined;
}

export interface Picture {
  bytes: Uint8Array;
  output: Output;
}

/** @throws for a file that is no picture, or that the library cannot read. */
export async function render({ source, transform, output: asked }: Job): Promise<Picture> {
  const { default: sharp } = await import("sharp");
  const metadata = await sharp(source, LIMITS).metadata();
  const { pages = 1, autoOrient } = metadata;
  // The source's own format if it can be written. The bytes say it, because the client chose the stored type.
  const own = metadata.format === "heif" && metadata.compression === "av1" ? "avif" : metadata.format;
  const output = asked ?? OUTPUTS.find((each) => each === own) ?? "png";
  const animated = pages > 1 && (output === "gif" || output === "webp");
  const image = sharp(source, { ...LIMITS, ...(animated ? { pages: Math.min(pages, MAX_FRAMES) } : {}) });
  const quality = transform.quality ?? QUALITY[output];
  const bytes = await resized(image.autoOrient(), transform, autoOrient)
    .toFormat(output, quality === undefined ? {} : { quality })
    .toBuffer();
  return { bytes, output };
}

/** Images are only scaled down, never up. */
function resized(image: Sharp, transform: Transform, size: { width: number; height: number }): Sharp {
  const { width, height, resize = "cover", gravity, offset } = transform;
  if (width === undefined && height === undefined) return image;
  if (resize === "cover" && offset && gravity !== "sm" && width !== undefined && height !== undefined) {
    const scale = Math.min(1, Math.max(width / size.width, height / size.height));
    const full = { width: Math.round(size.width * scale), height: Math.round(size.height * scale) };
    const cut = { width: Math.min(width, full.width), height: Math.min(height, full.height) };
    return image.resize(full.width, full.height, { fit: "fill" }).extract({
      left: startOfCut(cut.width, full.width, offset.x, gravity, ["we", "ea"]),
      top: startOfCut(cut.height, full.height, offset.y, gravity, ["no", "so"]),
      ...cut,
    });
  }
  return image.resize({
    width,
    height,
    fit: resize === "contain" ? "inside" : resize,
    withoutEnlargement: true,
    position: gravity === undefined || gravity === "fp" ? "centre" : POSITIONS[gravity],
  });
}

/**
 * Where a cut begins in one direction, in pixels (imgproxy's documentation of gravity offsets).
 * @param sides the names in `gravity` of the side where the direction begins, and of the one where it ends.
 */
function startOfCut(
  cut: number,
  full: number,
  offset: number,
  gravity = "ce",
  [first, last]: readonly [string, string],
): number {
  const free = full - cut;
  const pixels = Math.round(Math.abs(offset) < 1 || gravity === "fp" ? offset * full : offset);
  const start =
    gravity === "fp"
      ? pixels - cut / 2
      : gravity.includes(first)
        ? pixels
        : gravity.includes(last)
          ? free - pixels
          : free / 2 + pixels;
  return Math.round(Math.min(Math.max(start, 0), free));
}
