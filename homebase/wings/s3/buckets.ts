/** Owns the S3 protocol's operations on buckets, and the lists of buckets and objects. */

import { encodeStrict } from "../../src/core/percent.ts";
import { dropBucket, findVisibleBucket, insertBucket } from "../../src/storage/buckets/buckets.ts";
import { findBucket } from "../../src/storage/dependencies.ts";
import { requireBucketName } from "../../src/storage/kit/names.ts";
import type { ObjectRow } from "../../src/storage/kit/rows.ts";
import { S3_REGION } from "../../src/storage/kit/s3-keys.ts";
import { readCursor, writeCursor } from "../../src/storage/objects/list.ts";
import { encodingType, header, type S3Call, type S3Operation, wholeNumber } from "./call.ts";

const MAX_KEYS = 1000;

export const listBuckets: S3Operation = async ({ context }) => {
  const rows = await context.asCaller<{ name: string; created_at: Date | null }>(
    "select name, created_at from storage.buckets",
    [],
  );
  const Bucket = rows.map((row) => ({ Name: row.name, CreationDate: row.created_at?.toISOString() }));
  return { xml: { root: "ListAllMyBucketsResult", value: { Buckets: { Bucket } } } };
};

export const createBucket: S3Operation = async (call) => {
  const { context, bucket } = call;
  call.request.body.resume();
  requireBucketName(bucket);
  await insertBucket(context, {
    id: bucket,
    name: bucket,
    public: header(call, "x-amz-acl") === "public-read",
    limit: null,
    types: null,
  });
  return { headers: { location: `/${bucket}` } };
};

export const deleteBucket: S3Operation = async ({ context, bucket }) => {
  await dropBucket(context, bucket);
  return { status: 204 };
};

export const headBucket: S3Operation = async ({ context, bucket }) => {
  await findVisibleBucket(context, bucket);
  return { headers: { "x-amz-bucket-region": S3_REGION } };
};

export const bucketLocation: S3Operation = async ({ context, bucket }) => {
  await findVisibleBucket(context, bucket);
  return { xml: { root: "LocationConstraint", value: S3_REGION } };
};

/** Objects have one version each. */
export const bucketVersioning: S3Operation = async ({ context, bucket }) => {
  await findVisibleBucket(context, bucket);
  return { xml: { root: "VersioningConfiguration", value: { Status: "Suspended", MfaDelete: "Disabled" } } };
};

export const listObjects: S3Operation = async (call) => {
  const marker = call.query.get("marker");
  const page = await readPage(call, marker);
  const delimited = page.common.Delimiter !== undefined;
  const next = page.last !== undefined && delimited ? { NextMarker: page.encode(page.last.name) } : {};
  const { Name, Prefix, Delimiter, MaxKeys, IsTruncated, Contents, CommonPrefixes, EncodingType } =
    page.common;
  return {
    xml: {
      root: "ListBucketResult",
      value: {
        Name,
        Prefix,
        Delimiter,
        Marker: page.encode(marker),
        ...next,
        MaxKeys,
        IsTruncated,
        Contents,
        CommonPrefixes,
        EncodingType,
      },
    },
  };
};

export const listObjectsV2: S3Operation = async (call) => {
  const token = call.query.get("continuation-token");
  const startAfter = call.query.get("start-after");
  const page = await readPage(call, token === undefined ? startAfter : readCursor(token).last);
  const { Name, Prefix, Delimiter, MaxKeys, IsTruncated, Contents, CommonPrefixes, EncodingType } =
    page.common;
  return {
    xml: {
      root: "ListBucketResult",
      value: {
        Name,
        Prefix,
        ContinuationToken: token,
        StartAfter: page.encode(startAfter),
        Contents,
        IsTruncated,
        MaxKeys,
        Delimiter,
        EncodingType,
        KeyCount: Contents.length + CommonPrefixes.length,
        CommonPrefixes,
        ...(page.last ? { NextContinuationToken: writeCursor(page.last, "name", "asc") } : {}),
      },
    },
  };
};

type ListedRow = Pick<ObjectRow, "name" | "metadata" | "updated_at" | "created_at"> & { id: string | null };

/** @param after the key or common prefix before the page's beginning. */
async function readPage(call: S3Call, after: string | undefined) {
  const { context, bucket, query } = call;
  const type = encodingType(call);
  // 0 counts as absent, as on hosted.
  const limit = Math.min(wholeNumber(call, "max-keys", 0) || MAX_KEYS, MAX_KEYS);
  const encode = (text: string | undefined) =>
    text !== undefined && type === "url" ? encodeStrict(text) : text;
  await findBucket(context, bucket);
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter");
  const rows = await context.asCaller<ListedRow>(
    "select * from storage.list_objects_with_delimiter($1, $2, $3, $4, $5, '', 'asc')",
    [bucket, prefix, delimiter ?? "", limit + 1, after ?? ""],
  );
  const page = rows.slice(0, limit);
  const Contents = page
    .filter((row) => row.id !== null)
    .map((row) => ({
      Key: encode(row.name),
      LastModified: row.updated_at.toISOString(),
      ETag: row.metadata?.eTag,
      Size: row.metadata?.size ?? 0,
      StorageClass: "STANDARD",
    }));
  const CommonPrefixes = page.filter((row) => row.id === null).map((row) => ({ Prefix: encode(row.name) }));
  return {
    encode,
    /** The start of the next page; undefined for the last. */
    last: rows.length > limit ? page.at(-1) : undefined,
    common: {
      Name: bucket,
      Prefix: encode(prefix),
      Delimiter: encode(delimiter),
      MaxKeys: limit,
      IsTruncated: rows.length > limit,
      EncodingType: type,
      Contents,
      CommonPrefixes,
    },
  };
}
