/**
 * Owns resumable uploads (docs/compat/storage.md 1.9): @tus/server implements the tus protocol; this file
 * checks access and limits on every request.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inspect } from "node:util";
import { Metadata, Server, type Upload as TusUpload } from "@tus/server";
import { parseStorableJson } from "../../core/json.ts";
import { isRecord } from "../../core/record.ts";
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../../http/exchange.ts";
import { findBucket, RequestContext, rowsOfVersions, type Storage } from "../dependencies.ts";
import { type Caller, requireCaller } from "../kit/caller.ts";
import { fromPostgres, StorageError } from "../kit/errors.ts";
import { requireHeaderValues, requireKey, requireMimeAllowed } from "../kit/names.ts";
import type { BucketRow } from "../kit/rows.ts";
import { commitVersion, requireWrite } from "../objects/put.ts";
import { checkUploadToken } from "../objects/sign.ts";
import { ResumableStore, readUploadId, type UploadPlace, writeUploadId } from "./pending-uploads.ts";
import { deleteExpiredUploads } from "./retention.ts";

const PATH = "/upload/resumable";
const PUBLIC_PREFIX = "/storage/v1";
const TIDY_MS = 60 * 60 * 1000;
const MAX_USER_METADATA = 1024 * 1024;
const ALLOWED_HEADERS = ["Authorization", "X-Upsert", "Upload-Expires", "ApiKey", "x-signature"];

type Details = Record<string, string | null>;

/** Request details for the protocol server's hooks, which only get a web Request. */
interface Asking {
  request: ServiceRequest;
  signed: boolean;
  /** Undefined for a signed upload, until its token is verified against the object. */
  caller: Caller | undefined;
}

/** An error in the protocol server's format: a real status and plain text. */
const refusal = (status_code: number, body: string) => ({ status_code, body });

/** Serves resumable uploads. */
export class Resumable {
  readonly #storage: Storage;
  readonly #store: ResumableStore;
  readonly #server: Server;
  readonly #asking = new WeakMap<object, Asking>();
  /** Ids of uploads that are being made into objects. */
  readonly #finishing = new Map<string, Promise<void>>();
  /** Time of the last cleanup, in milliseconds since the epoch. */
  #tidied = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#store = new ResumableStore(storage.files.uploadsFolder, async (version) => {
      return (await rowsOfVersions(storage.context.database, [version])).has(version);
    });
    this.#server = new Server({
      path: PATH,
      datastore: this.#store,
      disableTerminationForFinishedUploads: true,
      allowedHeaders: ALLOWED_HEADERS,
      exposedHeaders: ["Upload-Expires", "Tus-Complete"],
      maxSize: async (request, id) => {
        const place = id === null ? undefined : readUploadId(id);
        return place ? this.#limit(await this.#bucket(request, place)) : this.#globalLimit;
      },
      namingFunction: (_request, metadata) => newUploadId(metadata),
      generateUrl: (request, { id }) => this.#location(request, id),
      getFileIdFromRequest: (_request, last) =>
        last === undefined ? undefined : Buffer.from(last, "base64url").toString("utf8"),
      onIncomingRequest: (request, id) => this.#admit(request, id),
      onUploadCreate: async (_request, { metadata = {} }) => {
        this.#tidy();
        return { metadata: { ...metadata, cacheControl: cacheControl(metadata.cacheControl) } };
      },
      onUploadFinish: (request, upload) => this.#finish(request, upload),
      onResponseError: (_request, error) => this.#refusalOf(error),
      // The default locker works within this process, which is the only one to use the folder.
    } as ConstructorParameters<typeof Server>[0]);
  }

  /** Handles a request under `/upload/resumable`. */
  async handle(request: ServiceRequest): Promise<ServiceResponse> {
    const signed = request.path.startsWith(`${PATH}/sign`);
    const open = signed || request.method === "OPTIONS";
    let caller: Caller | undefined;
    try {
      caller = open ? undefined : await requireCaller(this.#storage.context, request);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== "AccessDenied") throw error;
      request.body.resume();
      return unschematized(error);
    }
    const web = webRequest(request, this.#storage.context.url);
    this.#asking.set(web, { request, signed, caller });
    const response = await this.#server.handleWeb(web);
    return {
      status: response.status,
      headers: {
        ...Object.fromEntries(response.headers),
        ...(response.status === 503 ? { "retry-after": "1" } : {}),
      },
      body: response.status === 204 ? null : await response.text(),
    };
  }

  /** An error in the protocol server's format. An unexpected error is logged and not shown. */
  #refusalOf(error: unknown): { status_code: number; body: string } | undefined {
    if (error instanceof StorageError) return refusal(error.status, error.message);
    // Errors of the protocol itself.
    if (!(error instanceof Error)) return undefined;
    const mapped = fromPostgres(error);
    if (mapped.status < 500) return refusal(mapped.status, mapped.message);
    this.#storage.context.log.error(`A resumable upload failed: ${mapped.message}`, {
      error: inspect(error),
    });
    return refusal(mapped.status, mapped.message);
  }

  /** Runs periodically, in the background. */
  #tidy(): void {
    const { clock, log } = this.#storage.context;
    const now = clock.now();
    if (now - this.#tidied < TIDY_MS) return;
    this.#tidied = now;
    deleteExpiredUploads(this.#storage.files.uploadsFolder, now).catch((error: unknown) => {
      log.warn("Old resumable uploads could not be removed.", { error: String(error) });
    });
  }

  get #globalLimit(): number {
    return this.#storage.context.config.storage.file_size_limit;
  }

  /** Here a bucket's limit of 0 means no limit. */
  #limit(bucket: BucketRow): number {
    const own = Number(bucket.file_size_limit ?? 0);
    return own === 0 ? this.#globalLimit : Math.min(own, this.#globalLimit);
  }

  #bucket(web: object, place: UploadPlace): Promise<BucketRow> {
    return findBucket(this.#requestContext(web, "create", SERVICE), place.bucket);
  }

  #requestContext(web: object, step: string, caller: Caller): RequestContext {
    const { request, signed } = this.#ask(web);
    return new RequestContext(
      this.#storage,
      request,
      caller,
      `storage.tus.upload.${step}${signed ? "_signed" : ""}`,
    );
  }

  #ask(web: object): Asking {
    const asking = this.#asking.get(web);
    if (!asking) throw new Error("A request that was not handed over.");
    return asking;
  }

  /** Checks everything as for a plain upload; for HEAD only the token. */
  async #admit(web: Request, id: string): Promise<void> {
    const asking = this.#ask(web);
    const place = readUploadId(id);
    if (!place) throw refusal(404, "The file for this url was not found\n");
    const { caller, upsert } = await this.#callerOf(asking, place);
    const created = web.method === "POST";
    const upload = created ? undefined : await this.#store.getUpload(id);
    const whole = upload !== undefined && upload.offset === upload.size;
    // Complete, but the server stopped before it became an object. A client that learns that all bytes have
    // arrived sends no further request, so finish now.
    const waiting = whole && (this.#finishing.has(id) || (await this.#store.isWaiting(upload)));
    if (web.method === "HEAD" && !waiting) return;
    // A finished upload is reported as such, not as an existing object. Its bytes are not here any more; 409 makes a
    // client ask for the offset, which says that all have arrived.
    if (whole && !waiting && web.method === "PATCH") throw refusal(409, "The upload is complete\n");
    if (whole && !waiting) return;
    if (waiting && this.#finishing.has(id)) {
      await this.#finish(web, upload);
      return;
    }
    const metadata: Details =
      upload?.metadata ?? Metadata.parse(web.headers.get("upload-metadata") ?? undefined);
    const context = this.#requestContext(
      web,
      created ? "create" : web.method === "DELETE" ? "delete" : "part",
      caller,
    );
    const bucket = await findBucket(context, place.bucket);
    requireHeaderValues(metadata.contentType ?? "", cacheControl(metadata.cacheControl));
    if (metadata.contentType) requireMimeAllowed(metadata.contentType, bucket.allowed_mime_types);
    requireKey(place.key);
    await requireWrite(context, {
      bucket: place.bucket,
      key: place.key,
      upsert,
      mimetype: metadata.contentType ?? "application/octet-stream",
      cacheControl: cacheControl(metadata.cacheControl),
      contentLength: upload?.size ?? Number(web.headers.get("upload-length") ?? 0),
      userMetadata: userMetadata(metadata) ?? {},
    });
    if (waiting) await this.#finish(web, upload);
  }

  async #callerOf(
    { request, signed, caller }: Asking,
    place: UploadPlace,
  ): Promise<{ caller: Caller; upsert: boolean }> {
    if (!signed) return { caller: caller ?? SERVICE, upsert: request.headers["x-upsert"] === "true" };
    const token = request.headers["x-signature"];
    if (typeof token !== "string" || token === "") throw refusal(400, "Missing x-signature header");
    const { owner, upsert } = await checkUploadToken(this.#storage, token, place);
    return { caller: { ...SERVICE, subject: owner }, upsert };
  }

  /** All bytes have arrived: they become the object's next version, once even with concurrent requests. */
  async #finish(web: Request, upload: TusUpload): Promise<{ headers: Record<string, string> }> {
    const { id } = upload;
    let finishing = this.#finishing.get(id);
    if (!finishing) {
      finishing = this.#makeObject(web, upload).finally(() => this.#finishing.delete(id));
      this.#finishing.set(id, finishing);
    }
    await finishing;
    return { headers: { "Tus-Complete": "1" } };
  }

  async #makeObject(web: Request, upload: TusUpload): Promise<void> {
    const place = readUploadId(upload.id);
    if (!place) throw refusal(404, "The file for this url was not found\n");
    const { caller } = await this.#callerOf(this.#ask(web), place);
    const file = this.#store.bytesPath(place);
    const hash = createHash("md5");
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
    await this.#storage.files.adopt(file, place.bucket, place.key, place.version);
    const size = upload.size ?? upload.offset;
    const metadata = upload.metadata ?? {};
    await commitVersion(this.#requestContext(web, "part", caller), {
      ...place,
      metadata: {
        eTag: `"${hash.digest("hex")}"`,
        size,
        mimetype: metadata.contentType ?? "application/octet-stream",
        cacheControl: cacheControl(metadata.cacheControl),
        lastModified: new Date(this.#storage.context.clock.now()).toISOString(),
        contentLength: size,
        httpStatusCode: 200,
      },
      userMetadata: userMetadata(metadata),
    });
    await this.#store.finish(upload.id);
  }

  /**
   * Uses the configured external URL, else the Host of the client's connection. `X-Forwarded-` headers can be
   * forged, and the next request would send its token there.
   */
  #location(web: Request, id: string): string {
    const { config, url } = this.#storage.context;
    const own = new URL(url);
    const host = config.api.external_url === undefined ? (web.headers.get("host") ?? own.host) : own.host;
    const base = `${own.protocol}//${host}`;
    const path = this.#ask(web).signed ? `${PATH}/sign` : PATH;
    return `${base}${PUBLIC_PREFIX}${path}/${Buffer.from(id).toString("base64url")}`;
  }
}

const SERVICE: Caller = {
  role: "service_role",
  subject: undefined,
  claims: { role: "service_role" },
  token: "",
};

/**
 * The key order of an invalid token's error on routes whose responses have no schema (docs/compat/storage.md
 * 0).
 */
function unschematized({ http, status, code, error, message }: StorageError): ServiceResponse {
  return jsonResponse(http, { statusCode: String(status), code, error, message });
}

function newUploadId(metadata: Details | undefined): string {
  if (!metadata) throw refusal(400, "Metadata header is required");
  const { bucketName, objectName } = metadata;
  if (!bucketName || !objectName) throw refusal(400, "Metadata header is required");
  return writeUploadId({ bucket: bucketName, key: objectName, version: randomUUID() });
}

/** Seconds become `max-age`; a complete value is unchanged. */
function cacheControl(given: string | null | undefined): string {
  if (given?.startsWith("max-age=")) return given;
  return given && /^\d+$/.test(given) ? `max-age=${given}` : "no-cache";
}

function userMetadata({ metadata }: Details): Record<string, unknown> | null {
  if (!metadata) return null;
  if (metadata.length > MAX_USER_METADATA) {
    throw new StorageError("EntityTooLarge", "The user_metadata exceeded the maximum allowed size");
  }
  try {
    const value = parseStorableJson(metadata);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function webRequest(request: ServiceRequest, base: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const bodied = request.method === "POST" || request.method === "PATCH";
  return new Request(`${base}${request.path}`, {
    method: request.method,
    headers,
    ...(bodied ? { body: Readable.toWeb(request.body), duplex: "half" } : {}),
  } as RequestInit);
}
