/**
 * Owns storing an object: the question whether the caller may, the bytes, the row, in this order, so that
 * nothing of a refused or broken upload is left and no row is ever without its bytes.
 */
import type { Readable } from "node:stream";
import type { Occasion } from "./access.ts";
import { type Caller, ownerUuid } from "./caller.ts";
import { badRequest, keyExists, StorageError, tooLarge } from "./errors.ts";
import { demandKey, demandMimeAllowed, EMPTY_FOLDER } from "./names.ts";
import type { BucketRow, ObjectMetadata } from "./rows.ts";
import { findBucket, type Storage } from "./storage.ts";

/** What is known of an upload before its bytes are read. */
export interface Upload {
  bucket: string;
  key: string;
  upsert: boolean;
  mimetype: string;
  cacheControl: string;
  /** From the header; undefined when the length is not known. */
  contentLength: number | undefined;
  userMetadata: Record<string, unknown>;
  robots?: string | undefined;
}

const ROBOTS =
  /^(?:[a-z-]+:\s*)?(?:all|none|noindex|nofollow|noarchive|nosnippet|noimageindex|notranslate|indexifembedded|max-snippet:\s*-?\d+|max-image-preview:\s*\w+|max-video-preview:\s*-?\d+|unavailable_after:.+)(?:\s*,\s*(?:all|none|noindex|nofollow|noarchive|nosnippet|noimageindex|notranslate|indexifembedded|max-snippet:\s*-?\d+|max-image-preview:\s*\w+|max-video-preview:\s*-?\d+|unavailable_after:.+))*$/i;

/**
 * Everything that can be refused before a byte is stored.
 * @param policies whether the caller's policies are asked; not for signed uploads, which were when signed.
 * @returns the most bytes that may come.
 */
export async function admitUpload(
  storage: Storage,
  on: Occasion,
  upload: Upload,
  policies: boolean,
): Promise<{ bucket: BucketRow; limit: number }> {
  const bucket = await findBucket(storage, on, upload.bucket);
  if (upload.robots !== undefined && !ROBOTS.test(upload.robots)) {
    throw badRequest(`Invalid X-Robots-Tag header: ${upload.robots}`, "invalid_x_robots_tag");
  }
  const placeholder = upload.key.endsWith(EMPTY_FOLDER);
  if (!placeholder) demandMimeAllowed(upload.mimetype, bucket.allowed_mime_types);
  const limit = placeholder ? 0 : sizeLimit(storage, bucket);
  if ((upload.contentLength ?? 0) > limit) throw tooLarge();
  demandKey(upload.key);
  if (policies) await demandWrite(storage, on, upload);
  return { bucket, limit };
}

/** The bucket's own limit or the project's, whichever is less. */
export function sizeLimit(storage: Storage, bucket: BucketRow): number {
  const global = storage.context.config.storage.file_size_limit;
  return bucket.file_size_limit === null ? global : Math.min(global, Number(bucket.file_size_limit));
}

/** Tries the write as the caller and undoes it: policies decide, with what is known of the object. */
export async function demandWrite(storage: Storage, on: Occasion, upload: Upload): Promise<void> {
  const { caller } = on;
  const metadata = { mimetype: upload.mimetype, contentLength: upload.contentLength ?? 0 };
  const values = [upload.bucket, upload.key, ...owner(caller), metadata, upload.userMetadata];
  await storage.access
    .tryAsCaller(on, upload.upsert ? TRY_UPSERT : TRY_INSERT, values)
    .catch((error: StorageError) => {
      throw error.code === "ResourceAlreadyExists" ? keyExists() : error;
    });
}

function owner(caller: Caller): [string | null, string | null] {
  return [ownerUuid(caller), caller.subject ?? null];
}

const TRY_INSERT = `insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  values ($1, $2, $3, $4, $5, $6, '1')`;
const TRY_UPSERT = `${TRY_INSERT} on conflict (bucket_id, name) do update set
  metadata = excluded.metadata, user_metadata = excluded.user_metadata, version = excluded.version,
  owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)
  returning *`;

/** Stores the bytes, then the row that makes them the object. Returns the row's id. */
export async function storeObject(
  storage: Storage,
  on: Occasion,
  upload: Upload,
  body: Readable,
  limit: number,
): Promise<{ id: string }> {
  const stored = await storage.files.write(upload.bucket, upload.key, body, limit);
  const metadata: ObjectMetadata = {
    eTag: `"${stored.md5}"`,
    size: stored.size,
    mimetype: upload.mimetype,
    cacheControl: upload.cacheControl,
    lastModified: new Date(storage.context.clock.now()).toISOString(),
    contentLength: stored.size,
    httpStatusCode: 200,
    ...(upload.robots ? { xRobotsTag: upload.robots } : {}),
  };
  return commitVersion(storage, on, {
    bucket: upload.bucket,
    key: upload.key,
    version: stored.version,
    metadata,
    userMetadata: upload.userMetadata,
  });
}

/** Makes a version on disk the object: one statement, after which the version before it is removed. */
export async function commitVersion(
  storage: Storage,
  on: Occasion,
  next: {
    bucket: string;
    key: string;
    version: string;
    metadata: ObjectMetadata;
    userMetadata: Record<string, unknown> | null;
  },
): Promise<{ id: string }> {
  let row: { id: string; previous: string | null } | undefined;
  try {
    [row] = await storage.access.asService<{ id: string; previous: string | null }>(
      on,
      `with turn as materialized (select pg_advisory_xact_lock(hashtextextended($1 || '/' || $2, 0))),
         before as materialized (
           select version from storage.objects, turn where bucket_id = $1 and name = $2 for update of objects),
         written as (
           insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
           select $1, $2, $3, $4, $5, $6, $7 from turn
           on conflict (bucket_id, name) do update set
             metadata = excluded.metadata, user_metadata = excluded.user_metadata, version = excluded.version,
             owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)
           returning id)
       select written.id, (select version from before) as previous from written`,
      [next.bucket, next.key, ...owner(on.caller), next.metadata, next.userMetadata, next.version],
    );
  } catch (error) {
    await storage.files.remove(next.bucket, next.key, next.version);
    throw error;
  }
  if (!row) throw new StorageError("InternalError", "Internal Server Error");
  if (row.previous !== next.version) await storage.files.remove(next.bucket, next.key, row.previous);
  return { id: row.id };
}
