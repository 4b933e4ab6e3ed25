/**
 * Owns the S3 protocol (docs/compat/storage.md 1.10): dispatching by method, path, query and headers,
 * verifying the signature, and the responses. It does not use the shared router, which only knows method and
 * path: here many operations share them.
 */

import { inspect } from "node:util";
import { percentDecoded } from "../../core/percent.ts";
import type { ServiceRequest, ServiceResponse } from "../../http/exchange.ts";
import { requestContext, type Storage } from "../dependencies.ts";
import { fromPostgres, type StorageError } from "../kit/errors.ts";
import * as buckets from "./buckets.ts";
import { notImplemented, type S3Answer, type S3Operation } from "./call.ts";
import { authenticate } from "./credentials.ts";
import { postObject } from "./form.ts";
import * as objects from "./objects.ts";
import * as parts from "./parts.ts";
import * as uploads from "./uploads.ts";
import { writeXml, type XmlValue } from "./xml.ts";

const PATH = "/s3";

interface Route {
  method: string;
  level: "service" | "bucket" | "object";
  /** Required parameters. */
  query?: readonly string[];
  header?: string;
  /** `storage.operation()` in policies, after `storage.s3.`. */
  name: string;
  run: S3Operation;
}

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
  { method: "GET", level: "service", name: "bucket.list", run: buckets.listBuckets },
  { method: "PUT", level: "bucket", name: "bucket.create", run: buckets.createBucket },
  { method: "DELETE", level: "bucket", name: "bucket.delete", run: buckets.deleteBucket },
  { method: "HEAD", level: "bucket", name: "bucket.head", run: buckets.headBucket },
  {
    method: "GET",
    level: "bucket",
    query: ["uploads"],
    name: "upload.list_multipart",
    run: uploads.listUploads,
  },
  {
    method: "GET",
    level: "bucket",
    query: ["location"],
    name: "bucket.get_location",
    run: buckets.bucketLocation,
  },
  {
    method: "GET",
    level: "bucket",
    query: ["versioning"],
    name: "bucket.get_versioning",
    run: buckets.bucketVersioning,
  },
  { method: "GET", level: "bucket", query: ["list-type"], name: "object.list", run: buckets.listObjectsV2 },
  { method: "GET", level: "bucket", name: "object.list", run: buckets.listObjects },
  {
    method: "POST",
    level: "bucket",
    query: ["delete"],
    name: "object.delete_many",
    run: objects.deleteObjects,
  },
  {
    method: "PUT",
    level: "object",
    query: ["uploadId", "partNumber"],
    header: "x-amz-copy-source",
    name: "upload.part_copy",
    run: parts.copyPart,
  },
  {
    method: "PUT",
    level: "object",
    header: "x-amz-copy-source",
    name: "object.copy",
    run: objects.copyObject,
  },
  {
    method: "PUT",
    level: "object",
    query: ["uploadId", "partNumber"],
    name: "upload.part",
    run: parts.uploadPart,
  },
  { method: "PUT", level: "object", name: "upload", run: objects.putObject },
  {
    method: "POST",
    level: "object",
    query: ["uploads"],
    name: "upload.create_multipart",
    run: uploads.createUpload,
  },
  {
    method: "POST",
    level: "object",
    query: ["uploadId"],
    name: "upload.complete_multipart",
    run: uploads.completeUpload,
  },
  {
    method: "DELETE",
    level: "object",
    query: ["uploadId"],
    name: "upload.abort_multipart",
    run: uploads.abortUpload,
  },
  { method: "DELETE", level: "object", name: "object.delete", run: objects.deleteObject },
  { method: "GET", level: "object", query: ["uploadId"], name: "upload.list_parts", run: parts.listParts },
  {
    method: "GET",
    level: "object",
    query: ["tagging"],
    name: "object.get_tagging",
    run: objects.objectTagging,
  },
  { method: "GET", level: "object", name: "object.get", run: objects.getObject },
  { method: "HEAD", level: "object", name: "object.info", run: objects.headObject },
];

/** Handles a request under `/s3`. */
export async function handleS3(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  const { bucket, key } = readPath(request.path);
  try {
    return respond(request, await answer(storage, request, bucket, key));
  } catch (error) {
    request.body.resume();
    const known = fromPostgres(error);
    if (known.status >= 500) {
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
    (one) =>
      one.method === request.method &&
      one.level === level &&
      (one.query ?? []).every((name) => query.has(name)) &&
      (one.header === undefined || request.headers[one.header] !== undefined),
  );
  const other = SUBRESOURCES.find((name) => query.has(name) && !route?.query?.includes(name));
  if (other) throw notImplemented(`${request.method} with the parameter "${other}"`);
  if (!route) {
    request.body.resume();
    return { status: 404, body: "" };
  }
  const { name, run } = route;
  return run(storage, {
    request,
    query,
    signed,
    bucket,
    key,
    context: requestContext(request, signed.caller, `storage.s3.${name}`),
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
