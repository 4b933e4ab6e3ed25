/** Owns the S3 protocol's operations on whole objects. */
import { percentDecoded } from "../../src/core/percent.ts";
import { findBucket, findObject } from "../../src/storage/dependencies.ts";
import type { OpenBody } from "../../src/storage/disk/stored-bodies.ts";
import { noSuchKey, notImplemented, StorageError } from "../../src/storage/kit/errors.ts";
import { EMPTY_FOLDER, requireBucketName } from "../../src/storage/kit/names.ts";
import { FileMissing, retryWhenReplaced } from "../../src/storage/kit/replaced-object.ts";
import type { ObjectRow } from "../../src/storage/kit/rows.ts";
import { receiveObject, type Upload } from "../../src/storage/objects/put.ts";
import { copyVersion, removeMany, removeOne } from "../../src/storage/objects/transfer.ts";
import { openPayload, readDocument } from "./body.ts";
import { header, invalidRequest, type S3Call, type S3Operation, userMetadata } from "./call.ts";
import { childText } from "./xml.ts";

export const putObject: S3Operation = async (call) => {
  const { request, context, bucket } = call;
  requireBucketName(bucket);
  refuseConditionalWrite(call);
  const { body, length } = openPayload(call);
  // The key of a folder, as clients and the dashboard create it.
  const key = call.key.endsWith("/") && length === 0 ? call.key + EMPTY_FOLDER : call.key;
  const upload: Upload = {
    bucket,
    key,
    upsert: true,
    mimetype: header(call, "content-type") ?? "application/octet-stream",
    cacheControl: header(call, "cache-control") ?? "no-cache",
    contentLength: length,
    userMetadata: userMetadata(request.headers),
    robots: header(call, "x-robots-tag"),
    contentEncoding: contentEncoding(call),
  };
  const row = await receiveObject(context, upload, body, true);
  return { headers: { etag: row.metadata?.eTag ?? "" } };
};

export const getObject: S3Operation = (call) =>
  retryWhenReplaced(async () => {
    const row = await requireObject(call);
    requireUnchanged(call, row);
    const headers = { ...contentHeaders(row), ...overrides(call) };
    if (notModified(call, row)) return { status: 304, headers, body: null };
    const { bucket_id: bucket, name: key, version } = row;
    const body = version ? await call.context.storage.files.open({ bucket, key, version }) : undefined;
    if (!body) throw new FileMissing(version);
    return sendBody(call, headers, body);
  });

async function sendBody(call: S3Call, headers: Record<string, string>, body: OpenBody) {
  const range = readRange(header(call, "range"), body.size);
  if (range === "unsatisfiable") {
    await body.close();
    throw new StorageError("InvalidRange", "invalid range provided");
  }
  if (!range) {
    return { headers: { ...headers, "content-length": String(body.size) }, body: body.stream() };
  }
  return {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(range.end - range.start + 1),
      "content-range": `bytes ${range.start}-${range.end}/${body.size}`,
    },
    body: body.stream(range),
  };
}

export const headObject: S3Operation = async (call) => {
  const row = await requireObject(call);
  return {
    headers: {
      ...contentHeaders(row),
      "created-at": row.created_at.toISOString(),
      "last-modified": row.updated_at.toUTCString(),
    },
    body: null,
  };
};

/** Objects have no tags: the response for an existing object is an empty list. */
export const objectTagging: S3Operation = async (call) => {
  await requireObject(call);
  return { xml: { root: "Tagging", value: { TagSet: null } } };
};

export const copyObject: S3Operation = async (call) => {
  const { request, context, bucket, key } = call;
  request.body.resume();
  const from = copySource(call);
  const replaced = header(call, "x-amz-metadata-directive") === "REPLACE";
  const copied = await copyVersion(context, {
    from,
    to: { bucket, key },
    upsert: true,
    check: (source) => requireConditions(call, source),
    ...(replaced
      ? {
          replace: {
            // Nothing of the source stays (S3's CopyObject, "MetadataDirective").
            changes: {
              mimetype: header(call, "content-type") ?? "binary/octet-stream",
              cacheControl: header(call, "cache-control") ?? "no-cache",
              contentEncoding: contentEncoding(call),
            },
            userMetadata: userMetadata(request.headers),
          },
        }
      : {}),
  });
  const { eTag, lastModified } = copied.metadata ?? {};
  return { xml: { root: "CopyObjectResult", value: { ETag: eTag, LastModified: lastModified } } };
};

/** Succeeds also for a missing object, because the result is the same. */
export const deleteObject: S3Operation = async ({ context, bucket, key }) => {
  await removeOne(context, bucket, key).catch(async (error: unknown) => {
    if (!(error instanceof StorageError) || error.code !== "NoSuchKey") throw error;
    await findBucket(context, bucket);
  });
  return { status: 204 };
};

export const deleteObjects: S3Operation = async (call) => {
  const { context, bucket } = call;
  const document = await readDocument(call);
  if (document?.name !== "Delete") throw invalidRequest("Body must have required property 'Delete'");
  const keys = document.children
    .filter((child) => child.name === "Object")
    .map((child, index) => {
      const key = childText(child, "Key");
      if (key !== undefined) return key;
      throw invalidRequest(`Body, Delete, Object, ${index} must have required property 'Key'`);
    });
  if (keys.length === 0) throw invalidRequest("Body, Delete must have required property 'Object'");
  const distinct = [...new Set(keys)];
  const gone = new Set((await removeMany(context, bucket, distinct)).map((row) => row.name));
  const rest = distinct.filter((key) => !gone.has(key));
  // The caller may not delete those that still exist.
  const remaining = await context.asService<{ name: string }>(
    "select name from storage.objects where bucket_id = $1 and name = any ($2)",
    [bucket, rest],
  );
  if (gone.size === 0 && remaining.length === 0) await findBucket(context, bucket);
  const denied = new Set(remaining.map((row) => row.name));
  const quiet = childText(document, "Quiet")?.trim() === "true";
  return {
    xml: {
      root: "DeleteResult",
      value: {
        Deleted: quiet ? [] : keys.filter((key) => !denied.has(key)).map((Key) => ({ Key })),
        Error: keys
          .filter((key) => denied.has(key))
          .map((Key) => ({ Key, Code: "AccessDenied", Message: "Access Denied" })),
      },
    },
  };
};

async function requireObject({ context, bucket, key }: S3Call): Promise<ObjectRow> {
  const row = await findObject(context, bucket, key, "caller");
  if (!row) throw noSuchKey();
  return row;
}

function contentHeaders({ metadata, updated_at, user_metadata }: ObjectRow): Record<string, string> {
  return {
    "cache-control": metadata?.cacheControl ?? "",
    "content-length": String(metadata?.size ?? 0),
    "content-type": metadata?.mimetype ?? "",
    ...(metadata?.contentEncoding ? { "content-encoding": metadata.contentEncoding } : {}),
    etag: metadata?.eTag ?? "",
    "last-modified": new Date(metadata?.lastModified ?? updated_at).toUTCString(),
    ...metadataHeaders(user_metadata ?? {}),
  };
}

/** User metadata uploaded another way may be invalid in a header; S3 reports the number of such entries. */
function metadataHeaders(metadata: Record<string, unknown>): Record<string, string> {
  const headers: Record<string, string> = {};
  let missing = 0;
  for (const [name, value] of Object.entries(metadata)) {
    const usable = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
    if (usable && typeof value === "string" && /^[\t\x20-\x7e]*$/.test(value)) {
      headers[`x-amz-meta-${name.toLowerCase()}`] = value;
    } else missing += 1;
  }
  if (missing > 0) headers["x-amz-missing-meta"] = String(missing);
  return headers;
}

/** The coding of the bytes that are stored: that of the request itself is not one. */
function contentEncoding(call: S3Call): string | undefined {
  const codings = (header(call, "content-encoding") ?? "").split(",").map((one) => one.trim());
  return codings.filter((one) => one !== "" && one !== "aws-chunked").join(", ") || undefined;
}

const OVERRIDES = [
  "content-disposition",
  "content-type",
  "cache-control",
  "content-encoding",
  "content-language",
];

/** Response headers that the query overrides. */
function overrides({ query }: S3Call): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of OVERRIDES) {
    const value = query.get(`response-${name}`);
    if (value && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) headers[name] = value;
  }
  const expires = query.get("response-expires");
  if (expires) {
    const date = new Date(expires);
    if (Number.isNaN(date.getTime())) {
      throw new StorageError("InvalidParameter", "Invalid Parameter response-expires");
    }
    headers.expires = date.toUTCString();
  }
  return headers;
}

function notModified(call: S3Call, row: ObjectRow): boolean {
  const tag = header(call, "if-none-match");
  if (tag !== undefined) return sameTag(tag, row);
  const since = Date.parse(header(call, "if-modified-since") ?? "");
  return Number.isFinite(since) && modifiedSecond(row) <= since;
}

/** The conditions of a read (RFC 9110, 13.2.2). @throws PreconditionFailed */
function requireUnchanged(call: S3Call, row: ObjectRow): void {
  const tag = header(call, "if-match");
  const changed = modifiedSecond(row) > Date.parse(header(call, "if-unmodified-since") ?? "");
  if (tag === undefined ? changed : !sameTag(tag, row)) throw preconditionFailed();
}

/** Upstream ignores conditions of a write and replaces the object all the same. @throws NotImplemented */
export function refuseConditionalWrite(call: S3Call): void {
  for (const name of ["if-match", "if-none-match"]) {
    if (header(call, name) !== undefined) throw notImplemented(`writes with the header ${name}`);
  }
}

const preconditionFailed = () =>
  new StorageError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold");

/** When an object changed, in whole seconds as in its header, here as milliseconds. */
function modifiedSecond({ metadata, updated_at }: ObjectRow): number {
  return Math.floor(new Date(metadata?.lastModified ?? updated_at).getTime() / 1000) * 1000;
}

function sameTag(tag: string, row: ObjectRow): boolean {
  const bare = (text: string) => text.trim().replace(/^"|"$/g, "");
  return tag.trim() === "*" || bare(tag) === bare(row.metadata?.eTag ?? "");
}

/** @throws PreconditionFailed */
function requireConditions(call: S3Call, source: ObjectRow): void {
  const condition = (name: string) => header(call, `x-amz-copy-source-if-${name}`);
  const [match, noneMatch] = [condition("match"), condition("none-match")];
  const modified = modifiedSecond(source);
  const failed =
    (match !== undefined && !sameTag(match, source)) ||
    (noneMatch !== undefined && sameTag(noneMatch, source)) ||
    // A comparison with an invalid date is false (RFC 9110).
    modified <= Date.parse(condition("modified-since") ?? "") ||
    modified > Date.parse(condition("unmodified-since") ?? "");
  if (failed) throw preconditionFailed();
}

/**
 * The object that `x-amz-copy-source` names.
 * @throws InvalidBucketName, MissingParameter
 */
export function copySource(call: S3Call): { bucket: string; key: string } {
  const path = (header(call, "x-amz-copy-source") ?? "")
    .replace(/\?versionId=.*$/, "")
    .split("/")
    .map(percentDecoded)
    .join("/")
    .replace(/^\//, "");
  const slash = path.indexOf("/");
  const [bucket, key] = slash < 0 ? [path, ""] : [path.slice(0, slash), path.slice(slash + 1)];
  if (bucket === "") throw new StorageError("InvalidBucketName", "Bucket name invalid");
  if (key === "") throw new StorageError("MissingParameter", "Missing Required Parameter CopySource");
  return { bucket, key };
}

/** A single range of bytes; anything else returns the whole object, as in S3. */
export function readRange(
  text: string | undefined,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(text?.trim() ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[1] !== "" && match[2] !== "" && Number(match[1]) > Number(match[2])) return undefined;
  return start >= size || start > end ? "unsatisfiable" : { start, end };
}
