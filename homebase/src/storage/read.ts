/** Owns reading objects: bytes, heads, information; ranges and conditions (compat/storage.md 1.4). */
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../service/exchange.ts";
import type { Occasion } from "./access.ts";
import { demandCaller, optionalCaller } from "./caller.ts";
import { badRequest, bytesGone, noSuchBucket, noSuchKey, StorageError } from "./errors.ts";
import type { OpenBody } from "./files.ts";
import { demandKey } from "./names.ts";
import { queryFields } from "./request.ts";
import type { ObjectRow } from "./rows.ts";
import { checkDownloadToken } from "./sign.ts";
import { type Endpoint, findBucket, findObject, occasion, type Storage } from "./storage.ts";

const ATTEMPTS = 3;

interface Place {
  bucket: string;
  key: string;
}

/** Who may read, by route. */
type Door = (
  storage: Storage,
  request: ServiceRequest,
  place: Place,
) => Promise<{ row: ObjectRow; expires?: number }>;

/** A token is welcome but not needed: without one only public buckets are read. */
const anyDoor: Door = async (storage, request, place) => {
  const { caller, authenticated } = await optionalCaller(storage.context, request);
  const on = occasion(request, caller, "storage.object.get_authenticated");
  const bucket = await findBucket(storage, on, place.bucket);
  if (!bucket.public && !authenticated) throw noSuchBucket();
  return { row: await demandObject(storage, on, place, bucket.public ? "service" : "caller") };
};

const authenticatedDoor: Door = async (storage, request, place) => {
  const caller = await demandCaller(storage.context, request);
  const on = occasion(request, caller, "storage.object.get_authenticated");
  const bucket = await findBucket(storage, on, place.bucket);
  return { row: await demandObject(storage, on, place, bucket.public ? "service" : "caller") };
};

const publicDoor: Door = async (storage, request, place) => {
  const { caller } = await optionalCaller(storage.context, request);
  const on = occasion(request, caller, "storage.object.get_public");
  const bucket = await findBucket(storage, on, place.bucket);
  if (!bucket.public) throw noSuchBucket();
  return { row: await demandObject(storage, on, place, "service") };
};

const signedDoor: Door = async (storage, request, place) => {
  const { expires } = await checkDownloadToken(
    storage,
    queryFields(request.query).requiredText("token"),
    place,
  );
  const { caller } = await optionalCaller(storage.context, request);
  const on = occasion(request, caller, "storage.object.get_signed");
  const row = await demandObject(storage, on, place, "service");
  return expires === undefined ? { row } : { row, expires };
};

async function demandObject(
  storage: Storage,
  on: Occasion,
  place: Place,
  as: "caller" | "service",
): Promise<ObjectRow> {
  demandKey(place.key);
  const row = await findObject(storage, on, place.bucket, place.key, as);
  if (!row) throw noSuchKey();
  return row;
}

const bytesThrough =
  (door: Door): Endpoint =>
  async (storage, request, place) => {
    for (let attempt = 1; ; attempt += 1) {
      const { row, expires } = await door(storage, request, place);
      try {
        return await sendObject(storage, request, row, expires);
      } catch (error) {
        // Between the row and its file, a newer version may have taken their place: look again.
        const raced = error instanceof StorageError && error.code === "InternalError" && attempt < ATTEMPTS;
        if (!raced) throw error;
      }
    }
  };

/** A head is answered from the row alone, whether or not the bytes are there. */
const headThrough =
  (door: Door): Endpoint =>
  async (storage, request, place) => {
    const { row } = await door(storage, request, place);
    const headers = objectHeaders(row, request);
    headers["content-length"] = String(row.metadata?.size ?? 0);
    if (conditional(request)) headers["cache-control"] = `${headers["cache-control"]}, must-revalidate`;
    return { status: 200, headers, body: null };
  };

const infoThrough =
  (door: Door): Endpoint =>
  async (storage, request, place) => {
    const { row } = await door(storage, request, place);
    return jsonResponse(200, {
      id: row.id,
      name: row.name,
      version: row.version ?? "",
      bucket_id: row.bucket_id,
      size: row.metadata?.size ?? 0,
      content_type: row.metadata?.mimetype ?? "",
      cache_control: row.metadata?.cacheControl ?? "",
      etag: row.metadata?.eTag ?? "",
      metadata: row.user_metadata ?? {},
      last_modified: row.updated_at,
      created_at: row.created_at,
    });
  };

export const getObject = bytesThrough(anyDoor);
export const getAuthenticated = bytesThrough(authenticatedDoor);
export const getPublic = bytesThrough(publicDoor);
export const getSigned = bytesThrough(signedDoor);
export const headObject = headThrough(anyDoor);
export const headAuthenticated = headThrough(authenticatedDoor);
export const headPublic = headThrough(publicDoor);
export const infoObject = infoThrough(anyDoor);
export const infoAuthenticated = infoThrough(authenticatedDoor);
export const infoPublic = infoThrough(publicDoor);

async function sendObject(
  storage: Storage,
  request: ServiceRequest,
  row: ObjectRow,
  expires: number | undefined,
): Promise<ServiceResponse> {
  const headers = objectHeaders(row, request);
  if (expires !== undefined) {
    delete headers["cache-control"];
    headers.expires = new Date(expires * 1000).toUTCString();
  }
  if (notModified(request, row)) {
    return { status: 304, headers: { ...headers, "content-length": "0" }, body: null };
  }
  if (conditional(request) && headers["cache-control"]) {
    headers["cache-control"] = `${headers["cache-control"]}, stale-while-revalidate=30`;
  }
  if (request.method === "HEAD") {
    return {
      status: 200,
      headers: { ...headers, "content-length": String(row.metadata?.size ?? 0) },
      body: null,
    };
  }
  const body = await openBody(storage, row);
  let range: { start: number; end: number } | undefined;
  try {
    range = parseRange(request.headers.range, body.size);
  } catch (error) {
    await body.close();
    throw error;
  }
  if (!range) {
    headers["content-length"] = String(body.size);
    return { status: 200, headers, body: body.stream() };
  }
  headers["content-length"] = String(range.end - range.start + 1);
  headers["content-range"] = `bytes ${range.start}-${range.end}/${body.size}`;
  return { status: 206, headers, body: body.stream(range) };
}

async function openBody(storage: Storage, row: ObjectRow): Promise<OpenBody> {
  const body = row.version
    ? await storage.files.open({ bucket: row.bucket_id, key: row.name, version: row.version })
    : undefined;
  if (!body) throw bytesGone();
  return body;
}

function objectHeaders(row: ObjectRow, request: ServiceRequest): Record<string, string> {
  const metadata = row.metadata;
  const type = metadata?.mimetype ?? "application/octet-stream";
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    // A page of somebody's making must not run under this origin.
    "content-type": type.includes("text/html") ? "text/plain" : type,
    etag: metadata?.eTag ?? "",
    "last-modified": new Date(metadata?.lastModified ?? row.updated_at).toUTCString(),
    "cache-control": metadata?.cacheControl ?? "no-cache",
    "x-robots-tag": metadata?.xRobotsTag ?? "none",
  };
  const download = queryFields(request.query);
  if (download.has("download")) {
    const name = download.raw("download");
    if (typeof name !== "string") throw badRequest("querystring/download must be string");
    const encoded = encodeURIComponent(name);
    headers["content-disposition"] =
      name === "" ? "attachment;" : `attachment; filename=${encoded}; filename*=UTF-8''${encoded}`;
  }
  return headers;
}

function conditional(request: ServiceRequest): boolean {
  return request.headers["if-none-match"] !== undefined || request.headers["if-modified-since"] !== undefined;
}

function notModified(request: ServiceRequest, row: ObjectRow): boolean {
  const tag = request.headers["if-none-match"];
  if (tag !== undefined) return tag === row.metadata?.eTag;
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  const modified = Date.parse(row.metadata?.lastModified ?? "");
  // The header has whole seconds; so has the comparison.
  return Number.isFinite(since) && Math.floor(modified / 1000) <= Math.floor(since / 1000);
}

/** One range of bytes; anything else that is called a range is refused. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  if (header === undefined) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  const refuse = () => new StorageError("InvalidRange", "invalid range provided");
  if (!match || (match[1] === "" && match[2] === "")) throw refuse();
  const start = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = match[1] === "" || match[2] === "" ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start >= size || start > end) throw refuse();
  return { start, end };
}
