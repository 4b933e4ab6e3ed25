/**
 * Owns uploads by HTML form: the signed policy, the check of the form against it, and its file (AWS
 * documentation, "POST Object", "POST policy").
 */

import { PassThrough, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { parseStorableJson } from "../../src/core/json.ts";
import type { ServiceRequest } from "../../src/http/exchange.ts";
import type { ServiceContext } from "../../src/service-context.ts";
import { RequestContext, type Storage } from "../../src/storage/dependencies.ts";
import { accessDenied, requestAborted, StorageError, tooLarge } from "../../src/storage/kit/errors.ts";
import { requireBucketName } from "../../src/storage/kit/names.ts";
import { receiveObject, type Upload } from "../../src/storage/objects/put.ts";
import { invalidRequest, type S3Answer, userMetadata } from "./call.ts";
import { authenticateWith, type Signed } from "./credentials.ts";
import { expired, invalidSignature, readParts } from "./signature.ts";

const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 1024 * 1024;
/** Fields that no condition needs to cover. */
const EXEMPT = new Set([
  "policy",
  "x-amz-signature",
  "x-amz-algorithm",
  "x-amz-credential",
  "x-amz-date",
  "x-amz-security-token",
]);

interface Form {
  /** Keys in lower case. */
  fields: Record<string, string>;
  file: Readable;
  filename: string;
  discard(): void;
}

/** Stores a form's file as an object, when its policy allows it. */
export async function postObject(
  storage: Storage,
  request: ServiceRequest,
  bucket: string,
): Promise<S3Answer> {
  const form = await readForm(request);
  try {
    const { fields } = form;
    const signed = await requireSigned(storage.context, request, fields);
    const range = requirePolicy(fields, bucket, storage.context.clock.now());
    requireBucketName(bucket);
    const context = new RequestContext(storage, request, signed.caller, "storage.s3.upload");
    const upload: Upload = {
      bucket,
      key: (fields.key ?? "").replace(/\$\{filename\}/, () => form.filename),
      upsert: true,
      mimetype: fields["content-type"] ?? "application/octet-stream",
      cacheControl: fields["cache-control"] ?? "no-cache",
      contentLength: undefined,
      userMetadata: userMetadata(fields),
    };
    const file = atLeast(form.file, range.least);
    const row = await receiveObject(context, upload, file, true, range.most);
    return { headers: { etag: row.metadata?.eTag ?? "" } };
  } finally {
    form.discard();
  }
}

async function requireSigned(
  context: ServiceContext,
  request: ServiceRequest,
  fields: Record<string, string>,
): Promise<Signed> {
  const { policy } = fields;
  if (policy === undefined) throw invalidSignature("Invalid signature format");
  const client = readParts({
    credential: fields["x-amz-credential"],
    signedHeaders: "",
    signature: fields["x-amz-signature"],
    longDate: fields["x-amz-date"],
    contentSha: undefined,
    sessionToken: fields["x-amz-security-token"],
    presigned: false,
  });
  return authenticateWith(context, request, client, (signer) => signer.signedText(client, policy));
}

/**
 * Checks a form against its policy.
 * @param now milliseconds since the epoch.
 * @returns the maximum length of the file in bytes.
 * @throws InvalidSignature, ExpiredToken, AccessDenied
 */
export function requirePolicy(
  fields: Readonly<Record<string, string>>,
  bucket: string,
  now: number,
): { least: number; most: number } {
  const { expiration, conditions } = parsePolicy(fields.policy ?? "");
  if (typeof expiration !== "string") throw invalidSignature("Missing policy expiration");
  const until = Date.parse(expiration);
  if (Number.isNaN(until)) throw invalidSignature("Invalid policy expiration");
  if (until < now) throw expired();
  if (!Array.isArray(conditions)) throw invalidSignature("Invalid policy conditions");
  const given: Record<string, string> = { ...fields, bucket };
  const covered = new Set<string>();
  const range = { least: 0, most: Number.POSITIVE_INFINITY };
  for (const condition of conditions as unknown[]) {
    const { operator, field, value, most } = readCondition(condition);
    if (operator === "content-length-range") {
      range.least = Math.max(range.least, Number(value));
      range.most = Math.min(range.most, most);
      continue;
    }
    covered.add(field);
    const actual = given[field];
    if (operator === "eq" && actual !== value) {
      throw accessDenied(`Policy condition failed: "${field}" does not match`);
    }
    if (operator === "starts-with" && !actual?.startsWith(value)) {
      throw accessDenied(`Policy condition failed: "${field}" does not start with "${value}"`);
    }
  }
  const open = Object.keys(given).find(
    (field) => !covered.has(field) && !EXEMPT.has(field) && !field.startsWith("x-ignore-"),
  );
  if (open !== undefined) {
    throw accessDenied(`Policy condition failed: field "${open}" is not covered by the policy`);
  }
  return range;
}

function parsePolicy(encoded: string): { expiration?: unknown; conditions?: unknown } {
  try {
    const value = parseStorableJson(Buffer.from(encoded, "base64").toString("utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Checked below.
  }
  throw invalidSignature("Invalid POST policy");
}

interface Condition {
  operator: "eq" | "starts-with" | "content-length-range";
  field: string;
  value: string;
  most: number;
}

function readCondition(condition: unknown): Condition {
  if (Array.isArray(condition)) {
    const [operator, target, value] = condition as unknown[];
    if (operator === "content-length-range") {
      return { operator, field: "", value: String(Number(target)), most: Number(value) };
    }
    if ((operator === "eq" || operator === "starts-with") && typeof target === "string") {
      if (!target.startsWith("$")) throw invalidSignature("Invalid policy condition");
      return { operator, field: target.slice(1).toLowerCase(), value: String(value ?? ""), most: 0 };
    }
    throw invalidSignature("Unsupported policy condition");
  }
  const entries = typeof condition === "object" && condition !== null ? Object.entries(condition) : [];
  const [entry] = entries;
  if (!entry || entries.length !== 1) throw invalidSignature("Invalid policy condition");
  return { operator: "eq", field: entry[0].toLowerCase(), value: String(entry[1]), most: 0 };
}

/** Fails at the end when the file is shorter than the policy requires. */
function atLeast(file: Readable, least: number): Readable {
  if (least <= 0) return file;
  let size = 0;
  const counted = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(
        size < least ? new StorageError("InvalidRequest", `The object is smaller than ${least} bytes`) : null,
      );
    },
  });
  counted.on("error", () => {});
  file.on("error", (error) => counted.destroy(error));
  return file.pipe(counted);
}

/** Reads a form up to its file, whose bytes stay in the stream; fields after it are ignored, as in S3. */
function readForm(request: ServiceRequest): Promise<Form> {
  return new Promise((resolve, reject) => {
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { ...request.headers, "content-type": request.headers["content-type"] ?? "" },
        limits: { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
      });
    } catch {
      reject(invalidRequest("Invalid multipart body"));
      return;
    }
    const fields: Record<string, string> = Object.create(null) as Record<string, string>;
    let body: PassThrough | undefined;
    parser.on("field", (field, value, _nameCut, valueCut) => {
      const name = field.toLowerCase();
      if (valueCut) parser.destroy(tooLarge());
      else if (name in fields)
        parser.destroy(invalidSignature("Duplicate form field in POST policy request"));
      else if (!body) fields[name] = value;
    });
    parser.on("file", (_name, stream, filename) => {
      const file = new PassThrough();
      body = file;
      file.on("error", () => {});
      (stream as Readable).on("error", (error) => file.destroy(error));
      (stream as Readable).pipe(file);
      request.body.once("close", () => {
        if (!request.body.readableEnded) file.destroy(requestAborted());
      });
      resolve({
        fields,
        file,
        filename: filename ?? "",
        discard: () => {
          file.resume();
          request.body.resume();
        },
      });
    });
    parser.on("finish", () => {
      if (!body) reject(new StorageError("InvalidParameter", "Invalid Parameter Missing file"));
    });
    parser.on("error", (error: unknown) => {
      request.body.unpipe();
      request.body.resume();
      const refusal = error instanceof StorageError ? error : invalidRequest("Invalid multipart body");
      if (body) body.destroy(refusal);
      else reject(refusal);
    });
    request.body.pipe(parser);
  });
}
