/**
 * Owns reading objects: bytes, HEAD requests, information; ranges and conditions (docs/compat/storage.md
 * 1.4).
 */
import { z } from "zod";
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../../http/exchange.ts";
import type { Endpoint, Storage } from "../dependencies.ts";
import type { OpenBody } from "../disk/stored-bodies.ts";
import { StorageError } from "../kit/errors.ts";
import { FileMissing, retryWhenReplaced } from "../kit/replaced-object.ts";
import { checkedQuery, text } from "../kit/route-schemas.ts";
import type { ObjectRow } from "../kit/rows.ts";
import {
  authenticatedAccess,
  type ObjectAccess,
  optionalAccess,
  publicAccess,
  signedAccess,
} from "./object-access.ts";
import { readTransform, TRANSFORM } from "./transform.ts";

const bytesThrough =
  (access: ObjectAccess): Endpoint =>
  async (storage, request, place) => {
    downloadName(request);
    return retryWhenReplaced(async () => {
      const { row, expires } = await access(storage, request, place);
      return sendObject(storage, request, row, expires);
    });
  };

/** HEAD is answered from the row alone, without checking the file. */
const headThrough =
  (access: ObjectAccess): Endpoint =>
  async (storage, request, place) => {
    requireTransform(request);
    const { row } = await access(storage, request, place);
    const headers = objectHeaders(row, request);
    headers["content-length"] = String(row.metadata?.size ?? 0);
    if (conditional(request)) headers["cache-control"] = `${headers["cache-control"]}, must-revalidate`;
    return { status: 200, headers, body: null };
  };

const infoThrough =
  (access: ObjectAccess): Endpoint =>
  async (storage, request, place) => {
    requireTransform(request);
    const { row } = await access(storage, request, place);
    return jsonResponse(200, {
      id: row.id,
      name: row.name,
      version: row.version ?? "",
      bucket_id: row.bucket_id,
      size: row.metadata?.size ?? 0,
      content_type: row.metadata?.mimetype ?? "",
      cache_control: row.metadata?.cacheControl ?? "",
      content_encoding: row.metadata?.contentEncoding ?? null,
      etag: row.metadata?.eTag ?? "",
      metadata: row.user_metadata ?? {},
      last_modified: row.updated_at,
      created_at: row.created_at,
    });
  };

const AUTHENTICATED = "storage.object.get_authenticated";
const PUBLIC = "storage.object.get_public";
export const getObject = bytesThrough(optionalAccess(AUTHENTICATED));
export const getAuthenticated = bytesThrough(authenticatedAccess(AUTHENTICATED));
export const getPublic = bytesThrough(publicAccess(PUBLIC));
export const getSigned = bytesThrough(signedAccess("storage.object.get_signed"));
export const headObject = headThrough(optionalAccess("object.head_authenticated_info"));
export const headAuthenticated = headThrough(authenticatedAccess("object.head_authenticated_info"));
export const headPublic = headThrough(publicAccess(PUBLIC));
export const infoObject = infoThrough(optionalAccess("object.get_authenticated_info"));
export const infoAuthenticated = infoThrough(authenticatedAccess("object.get_authenticated_info"));
export const infoPublic = infoThrough(publicAccess("storage.object.info_public"));

async function sendObject(
  storage: Storage,
  request: ServiceRequest,
  row: ObjectRow,
  expires: number | undefined,
): Promise<ServiceResponse> {
  const headers = objectHeaders(row, request, expires);
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
  if (!body) throw new FileMissing(row.version);
  return body;
}

/** Headers of every response about an object. */
export function objectHeaders(
  row: ObjectRow,
  request: ServiceRequest,
  expires?: number,
): Record<string, string> {
  const metadata = row.metadata;
  const type = metadata?.mimetype ?? "application/octet-stream";
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    // An uploaded page must not execute under this origin.
    "content-type": type.includes("text/html") ? "text/plain" : type,
    etag: metadata?.eTag ?? "",
    "last-modified": new Date(metadata?.lastModified ?? row.updated_at).toUTCString(),
    // A response to a signed URL may be cached until the URL expires.
    ...(expires === undefined
      ? { "cache-control": metadata?.cacheControl ?? "no-cache" }
      : { expires: new Date(expires * 1000).toUTCString() }),
    "x-robots-tag": metadata?.xRobotsTag ?? "none",
    ...(metadata?.contentEncoding ? { "content-encoding": metadata.contentEncoding } : {}),
  };
  const name = downloadName(request);
  if (name !== undefined) headers["content-disposition"] = attachment(name);
  return headers;
}

const NOT_A_TOKEN = /[^\w!#$%&'*+.^`|~-]/;

/** The header of a download under this name (RFC 6266; supabase/storage 1.79.15). */
function attachment(name: string): string {
  if (name === "") return "attachment;";
  const ascii = name.replace(/[^ -~]|["\\]/gu, "_");
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename=${NOT_A_TOKEN.test(ascii) ? `"${ascii}"` : ascii}; filename*=UTF-8''${encoded}`;
}

/** Information is of the object itself, but options of a transformation are checked. @throws InvalidRequest */
function requireTransform(request: ServiceRequest): void {
  if (request.query !== "") readTransform(checkedQuery(request, TRANSFORM), "querystring");
}

const DOWNLOAD = z.object({ download: text().optional() });

/** The file name for downloads, "" for the object's own. @throws InvalidRequest */
function downloadName(request: ServiceRequest): string | undefined {
  if (!request.query.includes("download")) return undefined;
  return checkedQuery(request, DOWNLOAD).download;
}

function conditional(request: ServiceRequest): boolean {
  return request.headers["if-none-match"] !== undefined || request.headers["if-modified-since"] !== undefined;
}

function notModified(request: ServiceRequest, row: ObjectRow): boolean {
  const tag = request.headers["if-none-match"];
  if (tag !== undefined) return tag === row.metadata?.eTag;
  const since = Date.parse(request.headers["if-modified-since"] ?? "");
  const modified = Date.parse(row.metadata?.lastModified ?? "");
  // The header has a resolution of one second, so the comparison has too.
  return Number.isFinite(since) && Math.floor(modified / 1000) <= Math.floor(since / 1000);
}

/** Parses a single range of bytes; everything else is rejected. */
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
