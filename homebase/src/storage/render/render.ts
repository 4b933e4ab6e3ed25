/**
 * Owns image rendering (docs/compat/storage.md 1.8): an object's image in another size or format. The result
 * is cached next to the object's version and removed with it.
 */
import { createHash } from "node:crypto";
import type { Sharp } from "sharp";
import type { ServiceRequest, ServiceResponse } from "../../http/exchange.ts";
import type { Endpoint, Storage } from "../dependencies.ts";
import { exists } from "../disk/exists.ts";
import { StorageError } from "../kit/errors.ts";
import { FileMissing, retryWhenReplaced } from "../kit/replaced.ts";
import type { ObjectRow } from "../kit/rows.ts";
import { checkedQuery } from "../kit/validation.ts";
import { isVersion } from "../kit/version.ts";
import {
  authenticatedAccess,
  type ObjectAccess,
  publicAccess,
  signedAccess,
} from "../objects/object-access.ts";
import { objectHeaders } from "../objects/read.ts";
import {
  describeTransform,
  parseTransform,
  readTransform,
  TRANSFORM,
  type Transform,
} from "../objects/transform.ts";

/** Limits of the renderer in upstream's local stack. */
const MAX_SOURCE_BYTES = 25_000_000;
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

const OUTPUTS = ["jpeg", "png", "webp", "gif", "avif"] as const;
type Output = (typeof OUTPUTS)[number];

const unsupported = () =>
  new StorageError("InvalidRequest", "The source image is invalid or unsupported for rendering");

const renderThrough =
  (access: ObjectAccess): Endpoint =>
  async (storage, request, place) => {
    const asked = readTransform(checkedQuery(request, TRANSFORM), "querystring");
    return retryWhenReplaced(async () =>
      sendRendered(storage, request, asked, await access(storage, request, place)),
    );
  };

async function sendRendered(
  storage: Storage,
  request: ServiceRequest,
  asked: Transform,
  { row, expires, claims }: Awaited<ReturnType<ObjectAccess>>,
): Promise<ServiceResponse> {
  // A signed URL includes its options; query parameters are ignored.
  const transform = claims ? parseTransform(String(claims.transformations ?? "")) : asked;
  const webpWelcome = /image\/webp/.test(String(request.headers.accept ?? ""));
  const { path, output } = await rendered(storage, row, transform, webpWelcome);
  const body = await storage.files.openPath(path);
  if (!body) throw new FileMissing(row.version);
  const headers = objectHeaders(row, request, expires);
  headers["content-type"] = `image/${output}`;
  headers["content-length"] = String(body.size);
  headers["x-transformations"] = describeTransform(transform);
  delete headers["accept-ranges"];
  if (request.method === "HEAD") {
    await body.close();
    return { status: 200, headers, body: null };
  }
  return { status: 200, headers, body: body.stream() };
}

export const renderPublic = renderThrough(publicAccess("storage.render.image_public"));
export const renderAuthenticated = renderThrough(
  authenticatedAccess("storage.render.image_authenticated", "read"),
);
export const renderSigned = renderThrough(signedAccess("storage.render.image_sign"));

async function rendered(
  storage: Storage,
  row: ObjectRow,
  transform: Transform,
  webpWelcome: boolean,
): Promise<{ path: string; output: Output }> {
  if (!isVersion(row.version)) throw new FileMissing(row.version);
  if ((row.metadata?.size ?? 0) > MAX_SOURCE_BYTES) throw unsupported();
  const source = storage.files.path({ bucket: row.bucket_id, key: row.name, version: row.version });
  const output = chosenOutput(transform, webpWelcome) ?? (await ownFormat(source, row.version));
  const name = createHash("sha256")
    .update(`${describeTransform(transform)}/${output}`)
    .digest("hex");
  const path = storage.files.renderPath(row.version, `${name}.${output}`);
  if (await exists(path)) return { path, output };
  if (!(await exists(source))) throw new FileMissing(row.version);
  let bytes: Buffer;
  try {
    bytes = await inTurn(() => render(source, transform, output));
  } catch {
    throw unsupported();
  }
  await storage.files.keepRender(path, bytes);
  return { path, output };
}

/** A decoded picture can take 200 MB: one is rendered after another, each on all cores. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

let last: Promise<unknown> = Promise.resolve();

/** The requested format, or webp for a client that accepts it; undefined for the source's own. */
function chosenOutput({ format }: Transform, webpWelcome: boolean): Output | undefined {
  if (format === "avif" || format === "webp") return format;
  return format === undefined && webpWelcome ? "webp" : undefined;
}

/**
 * The source's format if it can be written, else PNG. Determined by the bytes, because the client chose the
 * stored type.
 */
async function ownFormat(source: string, version: string): Promise<Output> {
  const { default: sharp } = await import("sharp");
  const metadata = await sharp(source, LIMITS)
    .metadata()
    .catch(async () => {
      throw (await exists(source)) ? unsupported() : new FileMissing(version);
    });
  const own = metadata.format === "heif" && metadata.compression === "av1" ? "avif" : metadata.format;
  return OUTPUTS.find((output) => output === own) ?? "png";
}

async function render(source: string, transform: Transform, output: Output): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  const { pages = 1, autoOrient } = await sharp(source, LIMITS).metadata();
  const animated = pages > 1 && (output === "gif" || output === "webp");
  const image = sharp(source, { ...LIMITS, ...(animated ? { pages: Math.min(pages, MAX_FRAMES) } : {}) });
  const quality = transform.quality ?? QUALITY[output];
  return resized(image.autoOrient(), transform, autoOrient)
    .toFormat(output, quality === undefined ? {} : { quality })
    .toBuffer();
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
