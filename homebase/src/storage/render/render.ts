/**
 * Owns image rendering (docs/compat/storage.md 1.8): an object's image in another size or format. The result
 * is cached next to the object's version and removed with it.
 */
import { createHash } from "node:crypto";
import type { ServiceRequest, ServiceResponse } from "../../http/exchange.ts";
import type { Endpoint, Storage } from "../dependencies.ts";
import { exists } from "../disk/exists.ts";
import { StorageError } from "../kit/errors.ts";
import { FileMissing, retryWhenReplaced } from "../kit/replaced-object.ts";
import { checkedQuery } from "../kit/route-schemas.ts";
import type { ObjectRow } from "../kit/rows.ts";
import { isVersion } from "../kit/safe-names.ts";
import { objectHeaders } from "../objects/download.ts";
import {
  authenticatedAccess,
  type ObjectAccess,
  publicAccess,
  signedAccess,
} from "../objects/object-access.ts";
import {
  describeTransform,
  parseTransform,
  readTransform,
  TRANSFORM,
  type Transform,
} from "../objects/transform.ts";
import { OUTPUTS, type Output } from "./pictures.ts";
import { RenderFailed, renderApart } from "./renderer.ts";

/** The limit of the renderer in upstream's local stack. */
const MAX_SOURCE_BYTES = 25_000_000;

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
  delete headers["content-encoding"];
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
  const { version } = row;
  if (!isVersion(version)) throw new FileMissing(version);
  if ((row.metadata?.size ?? 0) > MAX_SOURCE_BYTES) throw unsupported();
  const asked = chosenOutput(transform, webpWelcome);
  const name = createHash("sha256")
    .update(`${describeTransform(transform)}/${asked ?? "own"}`)
    .digest("hex");
  const pathOf = (output: Output) => storage.files.renderPath(version, `${name}.${output}`);
  for (const output of asked ? [asked] : OUTPUTS) {
    const path = pathOf(output);
    if (await exists(path)) return { path, output };
  }
  const source = storage.files.path({ bucket: row.bucket_id, key: row.name, version });
  if (!(await exists(source))) throw new FileMissing(version);
  const { bytes, output } = await renderApart({ source, transform, output: asked }).catch(async (error) => {
    if (!(error instanceof RenderFailed)) throw error;
    throw (await exists(source)) ? unsupported() : new FileMissing(version);
  });
  const path = pathOf(output);
  await storage.files.keepRender(path, bytes);
  return { path, output };
}

/** The requested format, or webp for a client that accepts it; undefined for the source's own. */
function chosenOutput({ format }: Transform, webpWelcome: boolean): Output | undefined {
  if (format === "avif" || format === "webp") return format;
  return format === undefined && webpWelcome ? "webp" : undefined;
}
