/**
 * Owns storing an object: first the access check, then the bytes, then the row, so that a rejected or
 * interrupted upload leaves nothing and every row has its bytes.
 */
import type { Readable } from "node:stream";
import { findBucket, type RequestContext, type Storage } from "../dependencies.ts";
import type { StoredBody } from "../disk/stored-bodies.ts";
import { type Caller, ownerUuid } from "../kit/caller.ts";
import { keyExists, StorageError, tooLarge } from "../kit/errors.ts";
import { EMPTY_FOLDER, requireHeaderValues, requireKey, requireMimeAllowed } from "../kit/names.ts";
import {
  type BucketRow,
  OBJECT_COLUMNS,
  type ObjectMetadata,
  type ObjectRow,
  readObject,
} from "../kit/rows.ts";
import { requireRobotsRules } from "./robots.ts";

/** The parts of an upload that are known before its bytes are read. */
export interface Upload {
  bucket: string;
  key: string;
  upsert: boolean;
  mimetype: string;
  cacheControl: string;
  /** From the header; undefined when the length is not known. */
  contentLength: number | undefined;
  /** Whether the length includes a form's envelope and therefore is not the object's length. */
  enveloped?: boolean;
  userMetadata: Record<string, unknown> | null;
  robots?: string;
  /** How the bytes are encoded. */
  contentEncoding?: string | undefined;
}

/**
 * Checks everything about an upload except its bytes.
 * @param policies whether to evaluate the caller's policies; not for signed uploads, whose policies were
 * evaluated when signing.
 * @returns the size limit in bytes.
 */
export async function admitUpload(
  context: RequestContext,
  upload: Upload,
  policies: boolean,
): Promise<number> {
  const tried = policies ? await readAndTest(context, upload) : undefined;
  const bucket = tried ?? (await findBucket(context, upload.bucket));
  if (upload.robots !== undefined) requireRobotsRules(upload.robots);
  requireHeaderValues(upload.mimetype, upload.cacheControl, upload.contentEncoding);
  const placeholder = upload.key.endsWith(EMPTY_FOLDER);
  if (!placeholder) requireMimeAllowed(upload.mimetype, bucket.allowed_mime_types);
  const limit = placeholder ? 0 : sizeLimit(context.storage, bucket);
  if (!upload.enveloped && (upload.contentLength ?? 0) > limit) throw tooLarge();
  requireKey(upload.key);
  if (policies && !tried) await requireWrite(context, upload);
  return limit;
}

type BucketRules = Pick<BucketRow, "file_size_limit" | "allowed_mime_types">;

/**
 * The bucket, when the caller may write; one round trip. Undefined on any error: the checks are then repeated
 * one by one, to report the first error.
 */
async function readAndTest(context: RequestContext, upload: Upload): Promise<BucketRules | undefined> {
  return context
    .readAndTest<BucketRules>(
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

/** A value in Postgres's text format. */
function asText(value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  return JSON.stringify(value);
}

/** The bucket's own limit or the project's, whichever is lower. */
export function sizeLimit(storage: Storage, bucket: Pick<BucketRow, "file_size_limit">): number {
  const global = storage.context.config.storage.file_size_limit;
  return bucket.file_size_limit === null ? global : Math.min(global, Number(bucket.file_size_limit));
}

/** Tests the write as the caller and rolls it back, so that policies see the object's known values. */
export async function requireWrite(context: RequestContext, upload: Upload): Promise<void> {
  await context
    .tryAsCaller(upload.upsert ? `${WRITE} returning *` : INSERT, triedValues(context, upload))
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
/** The version in test writes; policies may see it. */
const TRIED_VERSION = "1";

/**
 * Stores an upload as the caller: its bytes, then the row that makes them the object. The bytes are received
 * while the database is queried; those of a rejected upload are removed before this throws.
 * @param policies see `admitUpload`.
 * @param most maximum size in bytes, whatever else is allowed.
 */
export async function receiveObject(
  context: RequestContext,
  upload: Upload,
  body: Readable,
  policies: boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<ObjectRow> {
  const limit = Math.min(most, context.storage.context.config.storage.file_size_limit);
  const admission = admitUpload(context, upload, policies);
  // The caller handles the rejection; until then it must not crash the process.
  admission.catch(() => {});
  // An upload that is certainly too long is not started; the error may be another one.
  if (!upload.enveloped && (upload.contentLength ?? 0) > limit) await admission;
  const stored = await context.storage.files.write(upload.bucket, upload.key, body, limit, admission);
  return commitBody(context, upload, stored);
}

/** Stores the bytes of an allowed upload, then the row that makes them the object. */
export async function storeObject(
  context: RequestContext,
  upload: Upload,
  body: Readable,
  limit: number,
): Promise<ObjectRow> {
  return commitBody(
    context,
    upload,
    await context.storage.files.write(upload.bucket, upload.key, body, limit),
  );
}

function commitBody(context: RequestContext, upload: Upload, stored: StoredBody): Promise<ObjectRow> {
  const metadata: ObjectMetadata = {
    eTag: `"${stored.md5}"`,
    size: stored.size,
    mimetype: upload.mimetype,
    cacheControl: upload.cacheControl,
    lastModified: new Date(context.storage.context.clock.now()).toISOString(),
    contentLength: stored.size,
    httpStatusCode: 200,
    ...(upload.robots ? { xRobotsTag: upload.robots } : {}),
    ...(upload.contentEncoding ? { contentEncoding: upload.contentEncoding } : {}),
  };
  return commitVersion(context, {
    bucket: upload.bucket,
    key: upload.key,
    version: stored.version,
    metadata,
    userMetadata: upload.userMetadata,
  });
}

/** A version whose bytes are on disk, and the values of its row. */
export interface NextVersion {
  bucket: string;
  key: string;
  version: string;
  metadata: ObjectMetadata;
  userMetadata: Record<string, unknown> | null;
}

/** Makes a version on disk the object, with one statement; then removes the previous version. */
export async function commitVersion(context: RequestContext, next: NextVersion): Promise<ObjectRow> {
  const row = await writeRow(context, next).catch(async (error: unknown) => {
    await discardUnlessCommitted(context, next);
    throw error;
  });
  context.storage.files.markCommitted(next.version);
  if (row.previous !== next.version)
    context.storage.files.removeReplaced(next.bucket, next.key, row.previous);
  return row;
}

type Written = ObjectRow & { previous: string | null };

async function writeRow(context: RequestContext, next: NextVersion): Promise<Written> {
  // Form fields after the file are known only now.
  const { mimetype, cacheControl, contentEncoding } = next.metadata;
  requireHeaderValues(mimetype, cacheControl, contentEncoding);
  const row = await context.writeInTurn<Written>(next, {
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
 * Removes a version's bytes after writing its row failed. If the connection was lost during COMMIT, the transaction may
 * still commit: the row is queried in the object's turn, which the transaction holds until its end. Without an answer
 * the bytes are left for the next sweep.
 */
export async function discardUnlessCommitted(
  context: RequestContext,
  { bucket, key, version }: Pick<NextVersion, "bucket" | "key" | "version">,
): Promise<void> {
  const text = "select from storage.objects where version = $1";
  const committed = await context.asServiceInTurn({ bucket, key }, text, [version]).catch(() => undefined);
  if (committed === undefined) context.storage.files.markUncertain(version);
  else if (committed.length === 0) await context.storage.files.remove(bucket, key, version);
  else context.storage.files.markCommitted(version);
}
