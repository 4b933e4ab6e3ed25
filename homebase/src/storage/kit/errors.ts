/**
 * Owns the error catalogue of storage (docs/compat/storage.md 0 and 6): with few exceptions, the HTTP status
 * is 400 and the body has the real one as text.
 */
import pg from "pg";
import { isDiskFull } from "../../core/disk-full.ts";
import { BodyBroken, jsonResponse, type ServiceResponse } from "../../http/exchange.ts";
import { ForeignRefused } from "../../http/secret-rights.ts";
import { PoolExhausted } from "../../postgres/pipeline/pool.ts";
import { PostgresError } from "../../postgres/pipeline/wire.ts";
import { type DatabaseOutage, databaseOutage } from "../../postgres/trouble.ts";

export type StorageCode =
  | "NoSuchBucket"
  | "NoSuchKey"
  | "KeyAlreadyExists"
  | "BucketAlreadyExists"
  | "ResourceAlreadyExists"
  | "ResourceNotEmpty"
  | "ResourceReferenced"
  | "AccessDenied"
  | "InvalidJWT"
  | "InvalidSignature"
  | "InvalidBucketName"
  | "InvalidKey"
  | "InvalidMimeType"
  | "EntityTooLarge"
  | "InvalidRange"
  | "InvalidRequest"
  | "InvalidParameter"
  | "FeatureNotEnabled"
  | "LockTimeout"
  | "DatabaseTimeout"
  | "DatabaseSchemaMismatch"
  | "DatabaseInvalidObjectDefinition"
  | "DatabaseError"
  | "SlowDown"
  | "Aborted"
  | "InsufficientStorage"
  | "InternalError"
  | VectorCode
  | S3Code;

/** Codes used by vector buckets only. */
type VectorCode =
  | "NotFoundException"
  | "ConflictException"
  | "VectorBucketNotEmpty"
  | "S3VectorMaxBucketsExceeded"
  | "S3VectorMaxIndexesExceeded";

/** Codes used by the S3 protocol only. */
type S3Code =
  | "NoSuchUpload"
  | "MissingParameter"
  | "MissingContentLength"
  | "InvalidUploadId"
  | "InvalidChecksum"
  | "MissingPart"
  | "SignatureDoesNotMatch"
  | "ExpiredToken"
  | "PreconditionFailed"
  | "NotImplemented"
  | "BadDigest"
  | "IncompleteBody"
  | "MalformedXML"
  | "XAmzContentSHA256Mismatch";

/** The real status and the legacy `error` text of each code. */
const CATALOGUE: Record<StorageCode, { status: number; error: string; http?: number }> = {
  NoSuchBucket: { status: 404, error: "Bucket not found" },
  NoSuchKey: { status: 404, error: "not_found" },
  KeyAlreadyExists: { status: 409, error: "Duplicate" },
  BucketAlreadyExists: { status: 409, error: "Duplicate" },
  ResourceAlreadyExists: { status: 409, error: "Duplicate" },
  ResourceNotEmpty: { status: 409, error: "ResourceNotEmpty" },
  ResourceReferenced: { status: 409, error: "ResourceReferenced" },
  AccessDenied: { status: 403, error: "Unauthorized" },
  InvalidJWT: { status: 400, error: "InvalidJWT" },
  InvalidSignature: { status: 400, error: "InvalidSignature" },
  InvalidBucketName: { status: 400, error: "Invalid Input" },
  InvalidKey: { status: 400, error: "InvalidKey" },
  InvalidMimeType: { status: 415, error: "invalid_mime_type" },
  EntityTooLarge: { status: 413, error: "Payload too large" },
  InvalidRange: { status: 416, error: "invalid_range", http: 416 },
  InvalidRequest: { status: 400, error: "InvalidRequest" },
  InvalidParameter: { status: 400, error: "InvalidParameter" },
  FeatureNotEnabled: { status: 409, error: "FeatureNotEnabled" },
  LockTimeout: { status: 503, error: "acquiring_lock_timeout" },
  DatabaseTimeout: { status: 544, error: "DatabaseTimeout", http: 544 },
  DatabaseSchemaMismatch: { status: 503, error: "DatabaseSchemaMismatch" },
  DatabaseInvalidObjectDefinition: { status: 503, error: "DatabaseInvalidObjectDefinition" },
  DatabaseError: { status: 500, error: "DatabaseError", http: 500 },
  SlowDown: { status: 429, error: "too_many_connections", http: 429 },
  Aborted: { status: 499, error: "Request aborted", http: 499 },
  // Upstream's disks do not fill up; 507 is HTTP's own (RFC 4918, 11.5).
  InsufficientStorage: { status: 507, error: "Insufficient Storage", http: 507 },
  InternalError: { status: 500, error: "Internal", http: 500 },
  NotFoundException: { status: 404, error: "NotFoundException" },
  ConflictException: { status: 409, error: "ConflictException" },
  VectorBucketNotEmpty: { status: 400, error: "VectorBucketNotEmpty" },
  S3VectorMaxBucketsExceeded: { status: 400, error: "S3VectorMaxBucketsExceeded" },
  S3VectorMaxIndexesExceeded: { status: 400, error: "S3VectorMaxIndexesExceeded" },
  NoSuchUpload: { status: 404, error: "NoSuchUpload" },
  MissingParameter: { status: 400, error: "MissingParameter" },
  MissingContentLength: { status: 400, error: "MissingContentLength" },
  InvalidUploadId: { status: 400, error: "InvalidUploadId" },
  InvalidChecksum: { status: 400, error: "InvalidChecksum" },
  MissingPart: { status: 400, error: "MissingPart" },
  SignatureDoesNotMatch: { status: 403, error: "SignatureDoesNotMatch" },
  ExpiredToken: { status: 400, error: "ExpiredToken" },
  PreconditionFailed: { status: 412, error: "PreconditionFailed" },
  NotImplemented: { status: 501, error: "NotImplemented", http: 501 },
  BadDigest: { status: 400, error: "BadDigest" },
  IncompleteBody: { status: 400, error: "IncompleteBody" },
  MalformedXML: { status: 400, error: "MalformedXML" },
  XAmzContentSHA256Mismatch: { status: 400, error: "XAmzContentSHA256Mismatch" },
};

export interface StorageErrorOptions {
  /** The real status, if it differs from the code's default. */
  status?: number;
  /** The HTTP status, if it is not 400. */
  http?: number;
  error?: string;
  /** The cause, for the log only. */
  cause?: unknown;
}

/** An error from the catalogue. */
export class StorageError extends Error {
  readonly code: StorageCode;
  readonly status: number;
  readonly http: number;
  readonly error: string;

  constructor(code: StorageCode, message: string, options: StorageErrorOptions = {}) {
    super(message, { cause: options.cause });
    const entry = CATALOGUE[code];
    this.code = code;
    this.status = options.status ?? entry.status;
    this.http = options.http ?? entry.http ?? 400;
    this.error = options.error ?? entry.error;
  }

  response(): ServiceResponse {
    return jsonResponse(this.http, {
      statusCode: String(this.status),
      error: this.error,
      message: this.message,
      code: this.code,
    });
  }
}

/** The database is temporarily unavailable: the client may retry. */
class DatabaseUnavailable extends StorageError {
  readonly #retryAfter: string;

  constructor({ message, retryAfter }: DatabaseOutage, cause: unknown) {
    super("DatabaseError", message, { status: 503, http: 503, cause });
    this.#retryAfter = retryAfter;
  }

  override response(): ServiceResponse {
    const response = super.response();
    response.headers["retry-after"] = this.#retryAfter;
    return response;
  }
}

export const noSuchBucket = () => new StorageError("NoSuchBucket", "Bucket not found");
export const noSuchKey = () => new StorageError("NoSuchKey", "Object not found");
export const keyExists = () => new StorageError("KeyAlreadyExists", "The resource already exists");
export const accessDenied = (message = "Access denied") => new StorageError("AccessDenied", message);
export const tooLarge = () =>
  new StorageError("EntityTooLarge", "The object exceeded the maximum allowed size");
/** A feature that is switched off for the project. */
export const notEnabled = (feature: string) =>
  new StorageError("FeatureNotEnabled", `The feature ${feature} is not enabled for this resource`);
/** What upstream has, and Homebase has not built. */
export const notImplemented = (what: string) => new StorageError("NotImplemented", `Storage has no ${what}.`);
export const noVersions = () => notImplemented("versions of objects");
export const relatedMissing = () =>
  new StorageError("InvalidRequest", "The related resource does not exist", { status: 404 });
/** A request that its route's schema rejects; `message` is worded as by the schema validator. */
export const badRequest = (message: string, error = "Error") =>
  new StorageError("InvalidRequest", message, { error });
/** The body was incomplete; the client has usually disconnected and does not read this. */
export const requestAborted = () => new StorageError("Aborted", "Request aborted");

/** Node's error for a request whose client disconnected. */
function isAborted(error: unknown): boolean {
  return (
    error instanceof Error && error.message === "aborted" && "code" in error && error.code === "ECONNRESET"
  );
}

/** Maps an error of Postgres or of the disk to the catalogue. @throws ForeignRefused, which the gateway answers */
export function fromPostgres(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (error instanceof ForeignRefused) throw error;
  if (isDiskFull(error)) {
    return new StorageError("InsufficientStorage", "The disk is full. Free some space, then try again.", {
      cause: error,
    });
  }
  if (error instanceof BodyBroken || isAborted(error)) return requestAborted();
  if (error instanceof PoolExhausted) {
    return new StorageError("SlowDown", "Too many connections issued to the database", { cause: error });
  }
  const trouble = databaseOutage(error);
  if (trouble) return new DatabaseUnavailable(trouble, error);
  if (!(error instanceof pg.DatabaseError || error instanceof PostgresError)) {
    return new StorageError("InternalError", "Internal Server Error", { cause: error });
  }
  switch (error.code) {
    case "42501":
      return accessDenied(
        error.message.startsWith("new row violates row-level security policy")
          ? "new row violates row-level security policy"
          : error.message,
      );
    case "23505":
      return new StorageError("ResourceAlreadyExists", "The resource already exists");
    case "23503":
      // Foreign key violations: a referenced row cannot be deleted, and a reference needs its row.
      return error.message.startsWith("update or delete")
        ? new StorageError("ResourceReferenced", error.message)
        : relatedMissing();
    // Text or JSON that cannot be stored: a NUL, invalid UTF-8, or JSON nested too deeply.
    case "22021":
    case "22P05":
    case "54001":
      return new StorageError("InvalidRequest", "The request contains text that cannot be stored");
    // A token's role that does not exist.
    case "22023":
      return accessDenied(error.message);
    case "22003":
    case "22P02":
      return new StorageError("InvalidParameter", error.message);
    case "42P17":
      return new StorageError("DatabaseInvalidObjectDefinition", error.message);
    case "42703":
    case "42P01":
      return new StorageError("DatabaseSchemaMismatch", error.message);
    case "55P03":
      return new StorageError("LockTimeout", "acquiring lock timeout");
    case "57014":
      return new StorageError("DatabaseTimeout", "The connection to the database timed out");
    default:
      return new StorageError("DatabaseError", `database error, code: ${error.code}`, { cause: error });
  }
}
