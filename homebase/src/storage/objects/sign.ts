/** Owns signed URLs: creating one or many, and verifying their tokens (docs/compat/storage.md 4). */
import { z } from "zod";
import { jsonResponse } from "../../http/exchange.ts";
import { type Claims, secondsSince } from "../../tokens/verify-token.ts";
import { type Endpoint, findObject, RequestContext, type Storage } from "../dependencies.ts";
import { requireCaller, tokenRefusal } from "../kit/caller.ts";
import { noSuchKey, StorageError } from "../kit/errors.ts";
import { checkedBody, integer, text, texts } from "../kit/route-schemas.ts";
import { requireWrite } from "./put.ts";
import { hasEffect, readTransform, TRANSFORM, type Transform, writeTransform } from "./transform.ts";
import { decodeMetadata } from "./user-metadata.ts";

const UPLOAD_SECONDS = 7_200;
const MAX_PATHS = 1_000;
const MISSING = "Either the object does not exist or you do not have access to it";

interface Place {
  bucket: string;
  key: string;
}

const SIGN = z.object({ expiresIn: integer(1), transform: TRANSFORM.optional() });
const SIGN_MANY = z.object({ expiresIn: integer(1), paths: texts(z.array(text()).min(1).max(MAX_PATHS)) });

export const signDownload: Endpoint = async (storage, request, { bucket, key }) => {
  const { expiresIn: seconds, transform: given } = await checkedBody(request, SIGN);
  const transform = requestedTransform(storage, given);
  const caller = await requireCaller(storage.context, request);
  requireSignable(storage, seconds);
  const context = new RequestContext(storage, request, caller, "storage.object.sign");
  const row = await findObject(context, bucket, key, "caller");
  if (!row) throw noSuchKey();
  // Escapes of reserved characters stay in the URL, as upstream (docs/compat/storage.md 4).
  const [, , , signedBucket = "", ...rest] = decodeUri(request.path).split("/");
  const place = { bucket: signedBucket, key: rest.join("/") };
  return jsonResponse(200, { signedURL: await downloadPath(storage, place, seconds, transform) });
};

export const signDownloads: Endpoint = async (storage, request, { bucket }) => {
  const { expiresIn: seconds, paths } = await checkedBody(request, SIGN_MANY);
  const caller = await requireCaller(storage.context, request);
  requireSignable(storage, seconds);
  const rows = await new RequestContext(storage, request, caller, "storage.object.sign_many").asCaller<{
    name: string;
  }>("select name from storage.objects where bucket_id = $1 and name = any ($2)", [bucket, paths]);
  const visible = new Set(rows.map((row) => row.name));
  const answers = paths.map(async (path) =>
    visible.has(path)
      ? { error: null, path, signedURL: await downloadPath(storage, { bucket, key: path }, seconds) }
      : { error: MISSING, path, signedURL: null },
  );
  return jsonResponse(200, await Promise.all(answers));
};

export const signUpload: Endpoint = async (storage, request, { bucket, key }) => {
  const caller = await requireCaller(storage.context, request);
  request.body.resume();
  const upsert = request.headers["x-upsert"] === "true";
  const context = new RequestContext(storage, request, caller, "storage.object.sign_upload_url");
  await requireWrite(context, {
    bucket,
    key,
    upsert,
    mimetype: String(request.headers["content-type"] ?? ""),
    cacheControl: "no-cache",
    contentLength: Number(request.headers["content-length"] ?? 0),
    userMetadata: decodeMetadata(request.headers["x-metadata"]),
  });
  const now = Math.floor(storage.context.clock.now() / 1000);
  const token = await storage.urlSigner.sign({
    ...(caller.subject ? { owner: caller.subject } : {}),
    url: `${bucket}/${key}`,
    upsert,
    scope: "upload",
    iat: now,
    exp: now + UPLOAD_SECONDS,
  });
  return jsonResponse(200, { url: `/object/upload/sign/${bucket}/${key}?token=${token}`, token });
};

async function downloadPath(
  storage: Storage,
  { bucket, key }: Place,
  seconds: number,
  transform?: Transform,
): Promise<string> {
  const now = Math.floor(storage.context.clock.now() / 1000);
  const claims = {
    ...(transform ? { transformations: writeTransform(transform) } : {}),
    ...(transform?.format ? { format: transform.format } : {}),
    url: `${bucket}/${key}`,
    scope: "download",
    iat: now,
    exp: now + seconds,
  };
  const token = await storage.urlSigner.sign(claims);
  return `/${transform ? "render/image" : "object"}/sign/${bucket}/${key}?token=${token}`;
}

/** The body's transformation if it has any effect; undefined also when rendering is disabled. */
function requestedTransform(
  storage: Storage,
  given: z.infer<typeof TRANSFORM> | undefined,
): Transform | undefined {
  if (!given) return undefined;
  const transform = readTransform(given, "body/transform");
  const enabled = storage.context.config.storage.image_transformation.enabled;
  return enabled && hasEffect(transform) ? transform : undefined;
}

function decodeUri(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * The end of the token must be a number of milliseconds that is exact (supabase/storage, internal/auth/jwt.ts).
 * @throws InvalidParameter
 */
function requireSignable({ context }: Storage, seconds: number): void {
  const now = Math.floor(context.clock.now() / 1000);
  if (seconds > Math.floor(Number.MAX_SAFE_INTEGER / 1000) - now) {
    throw new StorageError("InvalidParameter", "Invalid Parameter expiresIn");
  }
}

/** Verifies that the token is for reading exactly this object, now. @returns its claims. */
export function checkDownloadToken(storage: Storage, token: string, place: Place): Promise<Claims> {
  return checkUrlToken(storage, token, place, "download");
}

/** Verifies that the token is for uploading exactly this object, now. */
export async function checkUploadToken(
  storage: Storage,
  token: string,
  place: Place,
): Promise<{ owner: string | undefined; upsert: boolean }> {
  const claims = await checkUrlToken(storage, token, place, "upload");
  return {
    owner: typeof claims.owner === "string" ? claims.owner : undefined,
    upsert: claims.upsert === true,
  };
}

async function checkUrlToken(
  storage: Storage,
  token: string,
  place: Place,
  scope: "download" | "upload",
): Promise<Claims> {
  const check = await storage.urlSigner.check(token);
  if (!check.ok) throw new StorageError("InvalidJWT", tokenRefusal(check));
  const { claims } = check;
  // Older tokens have no scope: those with `upsert` are for uploads.
  const actual = claims.scope ?? (claims.upsert === undefined ? "download" : "upload");
  if (actual !== scope) throw new StorageError("InvalidSignature", `Token is not scoped for ${scope}`);
  if (claims.url !== `${place.bucket}/${place.key}`)
    throw new StorageError("InvalidSignature", "Invalid signature");
  // The path is compared first, so that a token for another object does not reveal its own expiry.
  if (typeof claims.exp === "number" && secondsSince(claims.exp, storage.context.clock) >= 0) {
    throw new StorageError("InvalidJWT", tokenRefusal({ failure: "expired" }));
  }
  return claims;
}
