/** Owns the parts of a multipart upload: uploading, copying from objects, listing. */
import type { Readable } from "node:stream";
import { findBucket, findObject } from "../../src/storage/dependencies.ts";
import { noSuchKey, StorageError, tooLarge } from "../../src/storage/kit/errors.ts";
import { sizeLimit } from "../../src/storage/objects/put.ts";
import { openPayload } from "./body.ts";
import { header, type S3Call, type S3Operation, wholeNumber } from "./call.ts";
import { copySource } from "./objects.ts";
import {
  findUpload,
  MAX_PART_NUMBER,
  noSuchUpload,
  type PartRow,
  requireUpload,
  unquotedEtag,
} from "./uploads.ts";

const MAX_LISTED = 1000;
const MAX_PART_BYTES = 5 * 1024 ** 3;

export const uploadPart: S3Operation = async (call) => {
  const number = partNumber(call);
  const { body, length } = openPayload(call);
  if (length === undefined) {
    throw new StorageError("MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  const part = await storePart(call, number, length, async () => body);
  return { headers: { etag: part.etag, "access-control-expose-headers": "etag" } };
};

export const copyPart: S3Operation = async (call) => {
  const number = partNumber(call);
  call.request.body.resume();
  const from = copySource(call);
  const row = await findObject(call.context, from.bucket, from.key, "caller");
  if (!row?.version) throw noSuchKey();
  const size = row.metadata?.size ?? 0;
  const range = sourceRange(header(call, "x-amz-copy-source-range"), size);
  const place = { ...from, version: row.version };
  const length = range ? range.end - range.start + 1 : size;
  const part = await storePart(call, number, length, async () => {
    const source = await call.context.storage.files.open(place);
    if (!source) throw noSuchKey();
    return source.stream(range);
  });
  const value = { ETag: part.etag, LastModified: part.created_at.toISOString() };
  return { xml: { root: "CopyPartResult", value } };
};

/** @throws InvalidRequest */
function partNumber(call: S3Call): number {
  return wholeNumber(call, "partNumber", 1, MAX_PART_NUMBER) ?? 0;
}

/** @throws InvalidRange: unlike the range of a read, this one must be within the source. */
function sourceRange(text: string | undefined, size: number): { start: number; end: number } | undefined {
  if (text === undefined) return undefined;
  const match = /^bytes=(\d+)-(\d+)$/.exec(text.trim());
  const [start, end] = [Number(match?.[1]), Number(match?.[2])];
  if (match && start <= end && end < size) return { start, end };
  throw new StorageError("InvalidRange", "invalid range provided", { status: 400 });
}

/**
 * Stores a part, replacing one with the same number. @throws NoSuchUpload, AccessDenied, EntityTooLarge when
 * it, or all parts together, are too long.
 */
async function storePart(
  call: S3Call,
  number: number,
  length: number,
  open: () => Promise<Readable>,
): Promise<PartRow> {
  const { context, bucket } = call;
  const upload = await requireUpload(call, length);
  const limit = sizeLimit(context.storage, await findBucket(context, bucket));
  const [others] = await context.asService<{ size: string }>(
    `select coalesce(sum(size), 0) as size from storage.s3_multipart_uploads_parts
     where upload_id = $1 and part_number <> $2`,
    [upload.id, number],
  );
  if (length > MAX_PART_BYTES || Number(others?.size ?? 0) + length > limit) throw tooLarge();
  const { md5, size } = await context.storage.files.parts.write(upload.id, number, await open(), length);
  const [written] = await context
    .asServiceInTurn<PartRow & { replaced: string | null }>(
      { bucket, key: `${upload.id}/${number}` },
      WRITE,
      [upload.id, number, `"${md5}"`, size],
    )
    .catch(async (error: unknown) => {
      // The upload was aborted or completed meanwhile: then nothing else is in its folder.
      const missing = error instanceof StorageError && error.status === 404;
      throw missing ? noSuchUpload() : error;
    });
  if (!written) {
    await context.storage.files.parts.removeAll(upload.id);
    throw noSuchUpload();
  }
  const replaced = written.replaced && unquotedEtag(written.replaced);
  if (replaced && replaced !== md5)
    await context.storage.files.parts.remove(upload.id, { number, md5: replaced });
  return written;
}

/** One statement replaces the part and updates the upload's total. */
const WRITE = `with upload as (
    select id, bucket_id, key, owner_id, version from storage.s3_multipart_uploads where id = $1 for update
  ), before as (
    delete from storage.s3_multipart_uploads_parts where upload_id = $1 and part_number = $2 returning etag, size
  ), written as (
    insert into storage.s3_multipart_uploads_parts
      (upload_id, part_number, etag, size, bucket_id, key, owner_id, version)
    select id, $2, $3, $4, bucket_id, key, owner_id, version from upload
    returning part_number, etag, size, created_at
  ), counted as (
    update storage.s3_multipart_uploads set
      in_progress_size = in_progress_size + $4 - coalesce((select sum(size) from before), 0),
      upload_signature = 'progress:' || in_progress_size + $4 - coalesce((select sum(size) from before), 0)
    where id = (select id from upload)
  )
  select written.*, (select etag from before limit 1) as replaced from written`;

export const listParts: S3Operation = async (call) => {
  const { context, bucket, key } = call;
  const upload = await findUpload(call);
  const marker = wholeNumber(call, "part-number-marker");
  const limit = Math.min(wholeNumber(call, "max-parts", 0) || MAX_LISTED, MAX_LISTED);
  const rows = await context.asCaller<PartRow>(
    `select part_number, etag, size, created_at from storage.s3_multipart_uploads_parts
     where upload_id = $1 and part_number > $2 order by part_number limit $3`,
    [upload.id, marker ?? 0, limit + 1],
  );
  const page = rows.slice(0, limit);
  return {
    xml: {
      root: "ListPartsResult",
      value: {
        Bucket: bucket,
        Key: key,
        UploadId: upload.id,
        PartNumberMarker: marker,
        NextPartNumberMarker: rows.length > limit ? page.at(-1)?.part_number : undefined,
        MaxParts: limit,
        IsTruncated: rows.length > limit,
        Part: page.map((part) => ({
          PartNumber: part.part_number,
          LastModified: part.created_at.toISOString(),
          ETag: part.etag,
          Size: Number(part.size),
        })),
      },
    },
  };
};
