/**
 * Owns the S3 protocol (docs/compat/storage.md 1.10): dispatching by method, path, query and headers,
 * verifying the signature, and the responses. It does not use the shared router, which only knows method and
 * path: here many operations share them.
 */

import { inspect } from "node:util";
import { percentDecoded } from "../../src/core/percent.ts";
import type { ServiceRequest, ServiceResponse } from "../../src/http/exchange.ts";
import { RequestContext, type Storage } from "../../src/storage/dependencies.ts";
import { fromPostgres, notImplemented, type StorageError } from "../../src/storage/kit/errors.ts";
import * as buckets from "./buckets.ts";
import type { S3Answer, S3Operation } from "./call.ts";
import { authenticate } from "./credentials.ts";
import { postObject } from "./form.ts";
import * as objects from "./objects.ts";
import * as parts from "./parts.ts";
import * as uploads from "./uploads.ts";
import { writeXml, type XmlValue } from "./xml.ts";

const PATH = "/s3";

/** `name` is `storage.operation()` in policies, after `storage.s3.`; `needs` are required parameters. */
type Route = readonly [
  method: string,
  level: "service" | "bucket" | "object",
  name: string,
  run: S3Operation,
  needs?: readonly string[],
  header?: string,
];

const PART = ["uploadId", "partNumber"];
const COPY = "x-amz-copy-source";

/**
 * Parameters that select another operation of S3. Without a route of its own such a request is refused: ignoring the
 * parameter would delete the object whose tags were to be removed. Other unknown parameters are ignored.
 */
const SUBRESOURCES: readonly string[] = [
  "accelerate",
  "acl",
  "analytics",
  "attributes",
  "cors",
  "delete",
  "encryption",
  "intelligent-tiering",
  "inventory",
  "legal-hold",
  "lifecycle",
  "location",
  "logging",
  "metrics",
  "notification",
  "object-lock",
  "ownershipControls",
  "policy",
  "policyStatus",
  "publicAccessBlock",
  "replication",
  "requestPayment",
  "restore",
  "retention",
  "select",
  "tagging",
  "torrent",
  "uploads",
  "versioning",
  "versions",
  "website",
];

/** The first match applies, so operations with more parameters come first. */
const ROUTES: readonly Route[] = [
  ["GET", "service", "bucket.list", buckets.listBuckets],
  ["PUT", "bucket", "bucket.create", buckets.createBucket],
  ["DELETE", "bucket", "bucket.delete", buckets.deleteBucket],
  ["HEAD", "bucket", "bucket.head", buckets.headBucket],
  ["GET", "bucket", "upload.list_multipart", uploads.listUploads, ["uploads"]],
  ["GET", "bucket", "bucket.get_location", buckets.bucketLocation, ["location"]],
  ["GET", "bucket", "bucket.get_versioning", buckets.bucketVersioning, ["versioning"]],
  ["GET", "bucket", "object.list", buckets.listObjectsV2, ["list-type"]],
  ["GET", "bucket", "object.list", buckets.listObjects],
  ["POST", "bucket", "object.delete_many", objects.deleteObjects, ["delete"]],
  ["PUT", "object", "upload.part_copy", parts.copyPart, PART, COPY],
  ["PUT", "object", "object.copy", objects.copyObject, [], COPY],
  ["PUT", "object", "upload.part", parts.uploadPart, PART],
  ["PUT", "object", "upload", objects.putObject],
  ["POST", "object", "upload.create_multipart", uploads.createUpload, ["uploads"]],
  ["POST", "object", "upload.complete_multipart", uploads.completeUpload, ["uploadId"]],
  ["DELETE", "object", "upload.abort_multipart", uploads.abortUpload, ["uploadId"]],
  ["DELETE", "object", "object.delete", objects.deleteObject],
  ["GET", "object", "upload.list_parts", parts.listParts, ["uploadId"]],
  ["GET", "object", "object.get_tagging", objects.objectTagging, ["tagging"]],
  ["GET", "object", "object.get", objects.getObject],
  ["HEAD", "object", "object.info", objects.headObject],
];

/** Handles a request under `/s3`. */
export async function handle(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  const { bucket, key } = readPath(request.path);
  try {
    return respond(request, await answer(storage, request, bucket, key));
  } catch (error) {
    request.body.resume();
    const known = fromPostgres(error);
    if (known.status >= 500 && known.code !== "NotImplemented") {
      storage.context.log.error(`${request.method} ${request.path}: ${known.message}`, {
        id: request.id,
        error: inspect(error),
      });
    }
    return refuse(request, known, [bucket, key].filter(Boolean).join("/"));
  }
}

async function answer(
  storage: Storage,
  request: ServiceRequest,
  bucket: string,
  key: string,
): Promise<S3Answer> {
  const form = request.method === "POST" && key === "" && /^multipart\/form-data/i.test(contentType(request));
  if (form && bucket !== "") return postObject(storage, request, bucket);
  const query = new Map(new URLSearchParams(request.query));
  const signed = await authenticate(storage.context, request, query);
  const level = bucket === "" ? "service" : key === "" ? "bucket" : "object";
  const route = ROUTES.find(
    ([method, on, , , needs = [], header]) =>
      method === request.method &&
      on === level &&
      needs.every((name) => query.has(name)) &&
      (header === undefined || request.headers[header] !== undefined),
  );
  const [, , operation, run, needed = []] = route ?? [];
  const other = SUBRESOURCES.find((name) => query.has(name) && !needed.includes(name));
  if (other) throw notImplemented(`${request.method} with the parameter "${other}"`);
  if (!run) {
    request.body.resume();
    return { status: 404, body: "" };
  }
  return run({
    request,
    query,
    signed,
    bucket,
    key,
    context: new RequestContext(storage, request, signed.caller, `storage.s3.${operation}`),
  });
}

function contentType(request: ServiceRequest): string {
  return request.headers["content-type"] ?? "";
}

/** Bucket and key of a path; a slash after the bucket's name does not begin a key. */
function readPath(path: string): { bucket: string; key: string } {
  const [bucket = "", ...key] = path.slice(PATH.length + 1).split("/");
  return { bucket: percentDecoded(bucket), key: percentDecoded(key.join("/")) };
}

function respond(
  request: ServiceRequest,
  { status = 200, headers = {}, body, xml }: S3Answer,
): ServiceResponse {
  const nonEmpty = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
  if (!xml) return { status, headers: nonEmpty, body: body === undefined ? "" : body };
  return document(request, status, nonEmpty, xml.root, xml.value);
}

function refuse(request: ServiceRequest, error: StorageError, resource: string): ServiceResponse {
  const value = { Resource: resource, Code: error.code, Message: error.message };
  const response = document(request, error.status, {}, "Error", value);
  return request.method === "HEAD" ? { ...response, body: null } : response;
}

/** XML, or JSON for a client that does not accept XML. */
function document(
  { headers: { accept } }: ServiceRequest,
  status: number,
  headers: Record<string, string>,
  root: string,
  value: XmlValue,
): ServiceResponse {
  const json = accept !== undefined && !/xml|html|\*\/\*|application\/\*|text\/\*/i.test(accept);
  return json
    ? {
        status,
        headers: { ...headers, "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify({ [root]: value }),
      }
    : {
        status,
        headers: { ...headers, "content-type": "application/xml; charset=utf-8" },
        body: writeXml(root, value),
      };
}
