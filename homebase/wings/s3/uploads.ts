/** Owns the life of a multipart upload: creating, listing, completing, aborting, expiring. */
import { randomUUID } from "node:crypto";
import { encodeStrict } from "../../src/core/percent.ts";
import type { XmlElement } from "../../src/core/xml.ts";
import { findBucket, type Storage } from "../../src/storage/dependencies.ts";
import { StorageError, tooLarge } from "../../src/storage/kit/errors.ts";
import {
  requireBucketName,
  requireHeaderValues,
  requireKey,
  requireMimeAllowed,
} from "../../src/storage/kit/names.ts";
import { requireWrite, sizeLimit, storeObject, type Upload } from "../../src/storage/objects/put.ts";
import { readDocument } from "./body.ts";
import {
  encodingType,
  header,
  invalidRequest,
  type S3Call,
  type S3Operation,
  userMetadata,
  wholeNumber,
} from "./call.ts";
import { refuseConditionalWrite } from "./objects.ts";
import { childText } from "./xml.ts";

/** Incomplete uploads are aborted after a day, as on hosted. */
const LIFE_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED = 1000;
export const MAX_PART_NUMBER = 10_000;

export interface UploadRow {
  id: string;
  user_metadata: Record<string, string> | null;
  metadata: { mimetype?: string; cacheControl?: string } | null;
  created_at: Date;
}

export interface PartRow {
  part_number: number;
  /** In quotes. */
  etag: string;
  size: string;
  created_at: Date;
}

export const noSuchUpload = () => new StorageError("NoSuchUpload", "Upload not found");

export const createUpload: S3Operation = async (call) => {
  const { request, context, bucket, key } = call;
  request.body.resume();
  requireBucketName(bucket);
  requireKey(key);
  const { allowed_mime_types } = await findBucket(context, bucket);
  const mimetype = header(call, "content-type");
  if (mimetype !== undefined) requireMimeAllowed(mimetype, allowed_mime_types);
  const cacheControl = header(call, "cache-control");
  requireHeaderValues(mimetype ?? "", cacheControl ?? "");
  const metadata = { mimetype, cacheControl };
  const id = randomUUID();
  const user_metadata = userMetadata(request.headers);
  await requireWrite(context, uploadOf(call, { user_metadata, metadata }, undefined));
  await context.asService(
    `insert into storage.s3_multipart_uploads
       (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata, created_at)
     values ($1, 'progress:0', $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      bucket,
      key,
      randomUUID(),
      context.caller.subject ?? null,
      user_metadata,
      metadata,
      new Date(context.storage.context.clock.now()),
    ],
  );
  abortAbandonedUploads(context.storage).catch((error: unknown) => {
    context.storage.context.log.warn("Old multipart uploads could not be removed.", { error: String(error) });
  });
  return {
    xml: { root: "InitiateMultipartUploadResult", value: { Bucket: bucket, Key: key, UploadId: id } },
  };
};

/** The values of a multipart upload for the access check. */
function uploadOf(
  { bucket, key }: S3Call,
  { user_metadata, metadata }: Pick<UploadRow, "user_metadata" | "metadata">,
  contentLength: number | undefined,
): Upload {
  return {
    bucket,
    key,
    upsert: true,
    mimetype: metadata?.mimetype ?? "application/octet-stream",
    cacheControl: metadata?.cacheControl ?? "no-cache",
    contentLength,
    userMetadata: user_metadata,
  };
}

/**
 * The upload of a request, which the caller may still write. @param contentLength size of the request's body
 * in bytes. @throws NoSuchUpload, AccessDenied
 */
export async function requireUpload(call: S3Call, contentLength?: number): Promise<UploadRow> {
  const upload = await findUpload(call);
  await requireWrite(call.context, uploadOf(call, upload, contentLength));
  return upload;
}

/** @throws NoSuchUpload when it does not exist or belongs to another object. */
export async function findUpload({ context, bucket, key, query }: S3Call): Promise<UploadRow> {
  const [upload] = await context.asService<UploadRow>(
    `select id, user_metadata, metadata, created_at from storage.s3_multipart_uploads
     where id = $1 and bucket_id = $2 and key = $3`,
    [query.get("uploadId") ?? "", bucket, key],
  );
  if (!upload) throw noSuchUpload();
  return upload;
}

/** All parts of an upload, in order. */
export function partsOf({ context }: S3Call, upload: string): Promise<PartRow[]> {
  return context.asService<PartRow>(
    `select part_number, etag, size, created_at from storage.s3_multipart_uploads_parts
     where upload_id = $1 order by part_number`,
    [upload],
  );
}

export const unquotedEtag = (etag: string) => etag.replace(/^"|"$/g, "");

export const completeUpload: S3Operation = async (call) => {
  const { context, bucket, key } = call;
  refuseConditionalWrite(call);
  const document = await readDocument(call);
  const named = document === undefined ? [] : namedParts(document);
  const upload = await requireUpload(call);
  const stored = await partsOf(call, upload.id);
  const parts = named.length === 0 ? stored : chosenParts(named, stored, upload.id);
  const limit = sizeLimit(context.storage, await findBucket(context, bucket));
  const size = parts.reduce((sum, part) => sum + Number(part.size), 0);
  if (size > limit) throw tooLarge();
  const body = context.storage.files.parts.read(
    upload.id,
    parts.map((part) => ({ number: part.part_number, md5: unquotedEtag(part.etag) })),
  );
  const row = await storeObject(context, uploadOf(call, upload, size), body, limit);
  await removeUpload(call, upload.id);
  return {
    xml: {
      root: "CompleteMultipartUploadResult",
      value: { Location: `${bucket}/${key}`, Bucket: bucket, Key: key, ETag: row.metadata?.eTag },
    },
  };
};

interface NamedPart {
  number: number;
  etag: string;
}

function namedParts(document: XmlElement): NamedPart[] {
  if (document.name !== "CompleteMultipartUpload") return [];
  return document.children
    .filter((child) => child.name === "Part")
    .map((part, index) => {
      const where = `Body, CompleteMultipartUpload, Part, ${index}`;
      const [number, etag] = [childText(part, "PartNumber"), childText(part, "ETag")];
      if (number === undefined) throw invalidRequest(`${where} must have required property 'PartNumber'`);
      if (etag === undefined) throw invalidRequest(`${where} must have required property 'ETag'`);
      if (!/^\d+$/.test(number.trim())) throw invalidRequest(`${where}, PartNumber must be integer`);
      return { number: Number(number), etag: unquotedEtag(etag.trim()) };
    });
}

/** @throws MissingPart, InvalidChecksum */
function chosenParts(named: readonly NamedPart[], stored: readonly PartRow[], upload: string): PartRow[] {
  const byNumber = new Map(stored.map((part) => [part.part_number, part]));
  return [...named]
    .sort((a, b) => a.number - b.number)
    .map(({ number, etag }) => {
      const part = byNumber.get(number);
      if (!part) {
        throw new StorageError("MissingPart", `Part ${number} is missing for upload id ${upload}`);
      }
      if (unquotedEtag(part.etag) !== etag) {
        throw new StorageError("InvalidChecksum", `Invalid ETag for part ${number}`);
      }
      return part;
    });
}

export const abortUpload: S3Operation = async (call) => {
  const upload = await requireUpload(call);
  await removeUpload(call, upload.id);
  return {};
};

/** Deletes the row first: if the process stops here, the next sweep removes files without a row. */
async function removeUpload({ context }: S3Call, upload: string): Promise<void> {
  await context.asService("delete from storage.s3_multipart_uploads where id = $1", [upload]);
  await context.storage.files.parts.removeAll(upload);
}

/** Aborts uploads that are older than a day. */
export async function abortAbandonedUploads(storage: Storage): Promise<number> {
  const { clock, database } = storage.context;
  const { rows } = await database.query<{ id: string }>(
    "supabase_storage_admin",
    "delete from storage.s3_multipart_uploads where created_at < $1 returning id",
    [new Date(clock.now() - LIFE_MS)],
  );
  await Promise.all(rows.map(({ id }) => storage.files.parts.removeAll(id)));
  return rows.length;
}

export const listUploads: S3Operation = async (call) => {
  const { context, bucket, query } = call;
  const limit = wholeNumber(call, "max-uploads") ?? MAX_LISTED;
  if (limit < 1 || limit > MAX_LISTED) {
    throw new StorageError("InvalidParameter", "Invalid Parameter MaxUploads");
  }
  const type = encodingType(call);
  const encode = (text: string | undefined) =>
    text !== undefined && type === "url" ? encodeStrict(text) : text;
  await findBucket(context, bucket);
  const [keyMarker, idMarker] = [query.get("key-marker"), query.get("upload-id-marker")];
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter")];
  const rows = await context.asCaller<{ key: string; id: string; created_at: Date }>(
    "select * from storage.list_multipart_uploads_with_delimiter($1, $2, $3, $4, $5, $6)",
    [bucket, prefix, delimiter ?? "", limit + 1, readMarker(keyMarker), readMarker(idMarker)],
  );
  const isFolder = ({ key }: { key: string }) =>
    Boolean(delimiter) && key.slice(prefix.length).includes(delimiter ?? "");
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    xml: {
      root: "ListMultipartUploadsResult",
      value: {
        Bucket: bucket,
        Prefix: encode(prefix),
        KeyMarker: keyMarker,
        UploadIdMarker: idMarker,
        NextKeyMarker: last && writeMarker(last.key),
        NextUploadIdMarker: last && writeMarker(last.id),
        Upload: page
          .filter((row) => !isFolder(row))
          .map((row) => ({
            Key: encode(row.key),
            Initiated: row.created_at.toISOString(),
            UploadId: row.id,
            StorageClass: "STANDARD",
          })),
        IsTruncated: last !== undefined,
        MaxUploads: limit,
        Delimiter: encode(delimiter),
        EncodingType: type,
        CommonPrefixes: page.filter(isFolder).map((row) => ({ Prefix: encode(row.key) })),
      },
    },
  };
};

function writeMarker(text: string): string {
  return Buffer.from(`l:${text}`).toString("base64");
}

/** @throws InvalidParameter */
function readMarker(marker: string | undefined): string {
  if (!marker) return "";
  const text = Buffer.from(marker, "base64").toString("utf8");
  if (text.startsWith("l:")) return text.slice(2);
  throw new StorageError("InvalidParameter", "Invalid Parameter continuation token");
}
