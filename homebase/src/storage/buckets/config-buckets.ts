/**
 * Owns the buckets of config.toml: created or updated when the database is new or on request, with their files
 * uploaded.
 */
import { createReadStream, existsSync, statSync } from "node:fs";
import { basename, extname, join, relative, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import type { Config } from "../../config/config.ts";
import { entriesBelow } from "../../core/untrusted-files.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import { RequestContext, type Storage } from "../dependencies.ts";
import type { Caller } from "../kit/caller.ts";
import { StorageError } from "../kit/errors.ts";
import { admitUpload, storeObject } from "../objects/put.ts";

/** The service itself, as policies and owners see it. */
const SERVICE: Caller = {
  role: "service_role",
  subject: undefined,
  claims: { role: "service_role" },
  token: "",
};
const AT_ONCE = 5;

const TYPES: Record<string, string> = {
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".xml": "text/xml; charset=utf-8",
  ".zip": "application/zip",
};

/** What was done for the buckets of config.toml; `failed` says which files could not be stored, and why. */
export interface PreparedBuckets {
  buckets: { id: string; made: boolean; files: string[] }[];
  vectorBuckets: { id: string; made: boolean }[];
  failed: string[];
}

/** Creates or updates the buckets of a configuration. A file that cannot be stored is only a warning. */
export async function prepareBuckets(
  storage: Storage,
  { storage: settings, supabaseFolder }: Config,
): Promise<PreparedBuckets> {
  const buckets: PreparedBuckets["buckets"] = [];
  const failed: string[] = [];
  for (const [id, bucket] of Object.entries(settings.buckets)) {
    const context = new RequestContext(storage, internalRequest(), SERVICE, "storage.bucket.create");
    const [row] = await context.asService<{ made: boolean }>(
      `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values ($1, $1, $2, $3, $4)
       on conflict (id) do update set public = coalesce($5, buckets.public),
         file_size_limit = excluded.file_size_limit, allowed_mime_types = excluded.allowed_mime_types
       returning xmax = 0 as made`,
      [
        id,
        bucket.public ?? false,
        bucket.file_size_limit ?? settings.file_size_limit,
        bucket.allowed_mime_types?.length ? bucket.allowed_mime_types : null,
        bucket.public ?? null,
      ],
    );
    const files = bucket.objects_path ? filesBelow(resolve(supabaseFolder, bucket.objects_path)) : [];
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const batch = files.slice(from, from + AT_ONCE).map((file) =>
        uploadFile(storage, id, file).catch((error: unknown) => {
          const text = error instanceof StorageError ? error.message : String(error);
          failed.push(`${file.path} could not be stored in bucket ${id}: ${text}`);
        }),
      );
      await Promise.all(batch);
    }
    buckets.push({ id, made: row?.made ?? false, files: files.map(({ key }) => key) });
  }
  for (const text of failed) storage.context.log.warn(text);
  return { buckets, vectorBuckets: await prepareVectorBuckets(storage, settings), failed };
}

/** Creates the buckets in `[storage.vector.buckets]` that are missing. */
async function prepareVectorBuckets(
  { context: { database } }: Storage,
  { vector }: Config["storage"],
): Promise<PreparedBuckets["vectorBuckets"]> {
  const ids = vector.enabled ? Object.keys(vector.buckets) : [];
  if (ids.length === 0) return [];
  const { rows } = await database.query<{ id: string }>(
    "supabase_storage_admin",
    "insert into storage.buckets_vectors (id) select unnest($1::text[]) on conflict do nothing returning id",
    [ids],
  );
  return ids.map((id) => ({ id, made: rows.some((row) => row.id === id) }));
}

/** A file to be stored. */
interface SeedFile {
  path: string;
  key: string;
}

/** The files of an `objects_path`, with their names in the bucket; none where it is not there. */
function filesBelow(root: string): SeedFile[] {
  if (!existsSync(root)) return [];
  if (statSync(root).isFile()) return [{ path: root, key: basename(root) }];
  return [...entriesBelow(root)]
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, key: relative(root, path).split(sep).join("/") }))
    .sort((left, right) => (left.key < right.key ? -1 : 1));
}

/** The media type that a file's name says. */
function mediaTypeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? "application/octet-stream";
}

async function uploadFile(storage: Storage, bucket: string, { path, key }: SeedFile): Promise<void> {
  const context = new RequestContext(storage, internalRequest(), SERVICE, "storage.object.upload");
  const upload = {
    bucket,
    key,
    upsert: true,
    mimetype: mediaTypeOf(path),
    cacheControl: "max-age=3600",
    contentLength: statSync(path).size,
    userMetadata: {},
  };
  const limit = await admitUpload(context, upload, false);
  await storeObject(context, upload, createReadStream(path) as Readable, limit);
}

/** Request details for transactions that belong to no request. */
function internalRequest(): ServiceRequest {
  return {
    id: "",
    method: "POST",
    path: "/object",
    query: "",
    headers: {},
    rawHeaders: [],
    authorization: undefined,
    remoteAddress: "127.0.0.1",
    body: undefined as unknown as Readable,
    signal: new AbortController().signal,
  };
}
