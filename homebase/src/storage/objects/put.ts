/**
 * Owns storing an object: the question whether the caller may, the bytes, the row, in this order, so that
 * nothing of a refused or broken upload is left and no row is ever without its bytes.
 */
import type { Readable } from "node:stream";
import type { RequestContext } from "../access.ts";
import { type Caller, ownerUuid } from "../caller.ts";
import { findBucket, rowsOfVersions, type Storage } from "../dependencies.ts";
import type { StoredBody } from "../disk/files.ts";
import { keyExists, StorageError, tooLarge } from "../errors.ts";
import { EMPTY_FOLDER, requireHeaderValues, requireKey, requireMimeAllowed } from "../names.ts";
import { type BucketRow, OBJECT_COLUMNS, type ObjectMetadata, type ObjectRow, readObject } from "../rows.ts";
import { requireRobotsRules } from "./robots.ts";

/** What is known of an upload before its bytes are read. */
export interface Upload {
  bucket: string;
  key: string;
  upsert: boolean;
  mimetype: string;
  cacheControl: string;
  /** From the header; undefined when the length is not known. */
  contentLength: number | undefined;
  /** Whether that length has a form's envelope in it: then it does not tell the object's own. */
  enveloped?: boolean;
  userMetadata: Record<string, unknown> | null;
  robots?: string | undefined;
}

/**
 * Everything that can be refused about an upload but its bytes.
 * @param policies whether the caller's policies are asked; not for signed uploads, which were when signed.
 * @returns the most bytes that may come.
 */
export async function admitUpload(
  storage: Storage,
  context: RequestContext,
  upload: Upload,
  policies: boolean,
): Promise<number> {
  const tried = policies ? await lookAndTry(storage, context, upload) : undefined;
  const bucket = tried ?? (await findBucket(storage, context, upload.bucket));
  if (upload.robots !== undefined) requireRobotsRules(upload.robots);
  requireHeaderValues(upload.mimetype, upload.cacheControl);
  const placeholder = upload.key.endsWith(EMPTY_FOLDER);
  if (!placeholder) requireMimeAllowed(upload.mimetype, bucket.allowed_mime_types);
  const limit = placeholder ? 0 : sizeLimit(storage, bucket);
  if (!upload.enveloped && (upload.contentLength ?? 0) > limit) throw tooLarge();
  requireKey(upload.key);
  if (policies && !tried) await requireWrite(storage, context, upload);
  return limit;
}

type BucketRules = Pick<BucketRow, "file_size_limit" | "allowed_mime_types">;

/**
 * The bucket, when the caller may write; both are asked in one go. Undefined when anything is wrong: then
 * one thing after the other is asked, so that the refusal is the first that applies.
 */
async function lookAndTry(
  storage: Storage,
  context: RequestContext,
  upload: Upload,
): Promise<BucketRules | undefined> {
  return storage.access
    .lookAndTry<BucketRules>(
      context,
      { text: BUCKET_RULES, values: [upload.bucket] },
      {
        text: upload.upsert ? `${WRITE} returning *` : INSERT,
        values: triedValues(context, upload).map(asText),
      },
    )
    .catch(() => undefined);
}

const BUCKET_RULES = `select json_build_object('file_size_limit', file_size_limit,
    'allowed_mime_types', allowed_mime_types) from storage.buckets where id = $1`;

/** A value as Postgres reads it from text. */
function asText(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  return JSON.stringify(value);
}

/** The bucket's own limit or the project's, whichever is less. */
export function sizeLimit(storage: Storage, bucket: Pick<BucketRow, "file_size_limit">): number {
  const global = storage.context.config.storage.file_size_limit;
  return bucket.file_size_limit === null ? global : Math.min(global, Number(bucket.file_size_limit));
}

/** Tries the write as the caller and undoes it: policies decide, with what is known of the object. */
export async function requireWrite(storage: Storage, context: RequestContext, upload: Upload): Promise<void> {
  await storage.access
    .tryAsCaller(context, upload.upsert ? `${WRITE} returning *` : INSERT, triedValues(context, upload))
    .catch((error: StorageError) => {
      throw error.code === "ResourceAlreadyExists" ? keyExists() : error;
    });
}

function triedValues({ caller }: RequestContext, upload: Upload): unknown[] {
  const metadata = { mimetype: upload.mimetype, contentLength: upload.contentLength ?? 0 };
  return [upload.bucket, upload.key, ...owner(caller), metadata, upload.userMetadata, TRIED_VERSION];
}

function owner(caller: Caller): [string | null, string | null] {
  return [ownerUuid(caller), caller.subject ?? null];
}

const INSERT = `insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  values ($1, $2, $3, $4, $5, $6, $7)`;
const WRITE = `${INSERT} on conflict (bucket_id, name) do update set
  metadata = excluded.metadata, user_metadata = excluded.user_metadata, version = excluded.version,
  owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)`;
/** The version of rows that are only tried; policies may see it. */
const TRIED_VERSION = "1";

/**
 * Stores an upload as the caller, if it may be: its bytes, then the row that makes them the object. The
 * bytes come while the database is asked; those of an upload that is refused are gone when this throws.
 * @param policies see `admitUpload`.
 * @param most bytes that the body may have, whatever else is allowed.
 */
export async function receiveObject(
  storage: Storage,
  context: RequestContext,
  upload: Upload,
  body: Readable,
  policies: boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<ObjectRow> {
  const limit = Math.min(most, storage.context.config.storage.file_size_limit);
  const admission = admitUpload(storage, context, upload, policies);
  // Its caller handles a refusal; before that, the rejection must not end the process.
  admission.catch(() => {});
  // What is certainly too long is not begun with; the refusal may be another one.
  if (!upload.enveloped && (upload.contentLength ?? 0) > limit) await admission;
  const stored = await storage.files.write(upload.bucket, upload.key, body, limit, admission);
  return commitBody(storage, context, upload, stored);
}

/** Stores bytes that may come, then the row that makes them the object. */
export async function storeObject(
  storage: Storage,
  context: RequestContext,
  upload: Upload,
  body: Readable,
  limit: number,
): Promise<ObjectRow> {
  return commitBody(
    storage,
    context,
    upload,
    await storage.files.write(upload.bucket, upload.key, body, limit),
  );
}

function commitBody(
  storage: Storage,
  context: RequestContext,
  upload: Upload,
  stored: StoredBody,
): Promise<ObjectRow> {
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
  return commitVersion(storage, context, {
    bucket: upload.bucket,
    key: upload.key,
    version: stored.version,
    metadata,
    userMetadata: upload.userMetadata,
  });
}

/** A version whose bytes are on disk, and what its row shall say. */
export interface NextVersion {
  bucket: string;
  key: string;
  version: string;
  metadata: ObjectMetadata;
  userMetadata: Record<string, unknown> | null;
}

/** Makes a version on disk the object: one statement, after which the version before it is removed. */
export async function commitVersion(
  storage: Storage,
  context: RequestContext,
  next: NextVersion,
): Promise<ObjectRow> {
  const row = await writeRow(storage, context, next).catch(async (error: unknown) => {
    await discardUnlessCommitted(storage, next);
    throw error;
  });
  storage.files.settle(next.version);
  if (row.previous !== next.version) storage.files.removeReplaced(next.bucket, next.key, row.previous);
  return row;
}

type Written = ObjectRow & { previous: string | null };

async function writeRow(storage: Storage, context: RequestContext, next: NextVersion): Promise<Written> {
  // A form's fields behind its file are known only now.
  requireHeaderValues(next.metadata.mimetype, next.metadata.cacheControl);
  const row = await storage.access.writeInTurn<Written>(context, next, {
    text: COMMIT,
    values: [
      next.bucket,
      next.key,
      ...owner(context.caller),
      JSON.stringify(next.metadata),
      next.userMetadata && JSON.stringify(next.userMetadata),
      next.version,
    ],
  });
  if (!row) throw new StorageError("InternalError", "Internal Server Error");
  return readObject(row);
}

const COMMIT = `with before as (select version from storage.objects where bucket_id = $1 and name = $2),
    written as (${WRITE} returning ${OBJECT_COLUMNS})
  select row_to_json(row) from (
    select written.*, (select version from before) as previous from written
  ) row`;

/**
 * Removes a version's bytes after its row could not be written. A connection that breaks at the commit
 * leaves open whether it took place: the row is asked, and without an answer the bytes stay for the next
 * sweep to judge.
 */
export async function discardUnlessCommitted(
  storage: Storage,
  { bucket, key, version }: Pick<NextVersion, "bucket" | "key" | "version">,
): Promise<void> {
  const committed = await rowsOfVersions(storage.context.database, [version]).catch(() => undefined);
  if (committed === undefined) storage.files.doubt(version);
  else if (committed.size === 0) await storage.files.remove(bucket, key, version);
  else storage.files.settle(version);
}
